#include "app/base/error.h"
#include "app/base/path_kind.h"
#include "app/base/plural.h"
#include "app/study/cohort_case.h"
#include "app/study/image_search.h"
#include "app/study/some_of.h"
#include "io/base/absent_content.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <system_error>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::array labelEndings{"_dseg", "_labels", "_gt", "_mask"};
constexpr std::size_t longestId = 150; ///< bytes; names of files contain it
constexpr std::size_t shownOfId = 40;  ///< bytes shown of a longer id

bool isLabels(const std::string& stem) {
    return stem == "labels" || std::ranges::any_of(labelEndings, [&](const char* ending) {
               return stem.ends_with(ending);
           });
}

/// bidsLabel(), which keeps some other characters, too.
std::string plainName(std::string_view text, std::string_view kept) {
    std::string name;
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i++]);
        if (first < 0x80) {
            if (std::isalnum(first) || kept.find(text[i - 1]) != std::string_view::npos)
                name += text[i - 1];
            continue;
        }
        std::uint32_t number = first & (first < 0xe0 ? 0x1fU : first < 0xf0 ? 0x0fU : 0x07U);
        for (; i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0U) == 0x80; ++i)
            number = number << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
        name += number < 0x10000 ? fmt::format("u{:04x}", number) : fmt::format("U{:06x}", number);
    }
    return name;
}

using NamesByStem = std::map<std::string, std::string>; ///< names of files of a folder

/// The label map beside an image: its name and the first of the endings that is there, or its name
/// with the last part exchanged for it, as BIDS does; "labels" beside a "sequence".
std::string labelsBeside(const fs::path& folder, const NamesByStem& names,
                         const std::string& stem) {
    const std::string cut = stem.substr(0, stem.rfind('_'));
    std::vector<std::string> wanted;
    for (const std::string ending : labelEndings)
        wanted.insert(wanted.end(), {stem + ending, cut + ending});
    if (stem == "sequence")
        wanted.emplace_back("labels");
    for (const std::string& other : wanted)
        if (const auto found = names.find(other); found != names.end())
            return (folder / found->second).string();
    return {};
}

/// "01" of "sub-01_ses-2_cine" for the key "sub-".
std::string entityOf(const std::string& stem, const std::string& key) {
    const std::size_t at = stem.starts_with(key) ? 0 : stem.find("_" + key);
    if (at == std::string::npos)
        return {};
    const std::size_t begin = at + key.size() + (at == 0 && stem.starts_with(key) ? 0 : 1);
    return stem.substr(begin, stem.find('_', begin) - begin);
}

/// The label after `key` in the names of the folders between study and image; empty: none.
std::string labelOfFolder(const fs::path& root, const fs::path& folder, const std::string& key) {
    for (const fs::path& part : folder.lexically_relative(root))
        if (const std::string name = part.string(); name.starts_with(key))
            return name.substr(key.size());
    return {};
}

class FolderCases {
public:
    FolderCases(const fs::path& root, const std::string& output)
        : root_(root), images_(searchImages(root, output)) {
        for (const auto& [folder, names] : images_.names)
            take(folder, names);
        for (const std::string& folder : images_.emptyParticipants)
            images_.refusals.push_back(
                fileNote(folder, "has no image (.nii.gz, .nii, .mha, .mhd, .nrrd)"));
        note(unused_, "label map",
             "not used, since no image beside has this name or another map comes first");
        note(withoutSession_, "image", "named without session, which is that of the folder ses-*");
        found.refusals = std::move(images_.refusals);
        found.unread = std::move(images_.unread);
        found.absent = std::move(images_.absent);
        found.notes.insert(found.notes.end(), images_.notes.begin(), images_.notes.end());
    }

    CohortCases found;
    bool isBids() const { return images_.bids; }

private:
    void take(const fs::path& folder, const std::vector<std::string>& names) {
        std::vector<std::string> images;
        NamesByStem byStem, unused;
        for (const std::string& name : names) {
            const std::string stem = *stemOfImage(name);
            byStem.emplace(stem, name);
            if (isLabels(stem))
                unused.emplace(stem, name);
            else if (images_.bids && !name.starts_with("sub-"))
                refuse(folder / name, "its name doesn't begin with sub-, so it names no "
                                      "participant; a table (.csv) can name it as a case");
            else
                images.push_back(name);
        }
        for (const std::string& name : images) {
            std::optional<CohortCase> made = images_.bids
                                                 ? caseOfBids(folder, name)
                                                 : caseOfFolder(folder, name, images.size() == 1);
            if (!made)
                continue;
            made->labels = labelsBeside(folder, byStem, *stemOfImage(name));
            unused.erase(made->labels.empty()
                             ? std::string()
                             : *stemOfImage(fs::path(made->labels).filename().string()));
            found.cases.push_back(std::move(*made));
        }
        for (const auto& [stem, name] : unused)
            unused_.push_back((folder / name).string());
    }

    std::optional<CohortCase> caseOfBids(const fs::path& folder, const std::string& name) {
        const std::string stem = *stemOfImage(name);
        CohortCase made;
        made.image = (folder / name).string();
        made.id = plainName(stem, "-_");
        for (const auto& [key, label] :
             {std::pair("sub-", &CohortCase::subject), std::pair("ses-", &CohortCase::session)}) {
            const std::string own = entityOf(stem, key), around = labelOfFolder(root_, folder, key);
            if (!own.empty() && !around.empty() && own != around) {
                refuse(folder / name,
                       fmt::format("is named {0}{1} and lies in a folder {0}{2}; one "
                                   "of them is wrong",
                                   key, own, around));
                return std::nullopt;
            }
            made.*label = bidsLabel(own.empty() ? around : own);
        }
        if (entityOf(stem, "ses-").empty() && !made.session.empty()) {
            const std::size_t end = std::min(made.id.find('_'), made.id.size());
            made.id.insert(end, "_ses-" + made.session);
            withoutSession_.push_back(name);
        }
        return made;
    }

    CohortCase caseOfFolder(const fs::path& folder, const std::string& name, bool only) const {
        // A folder with a single image gives it its name.
        const fs::path place = folder.lexically_relative(root_);
        const bool named = only && place != ".";
        CohortCase made;
        made.image = (folder / name).string();
        made.subject = bidsLabel(named ? place.string()
                                       : (place / *stemOfImage(name)).lexically_normal().string());
        made.id = "sub-" + made.subject;
        return made;
    }

    void refuse(const fs::path& path, const std::string& why) {
        images_.refusals.push_back(fileNote(path.string(), why));
    }

    /// A note that so many of these names are as `what` says.
    void note(const std::vector<std::string>& names, std::string_view noun, std::string_view what) {
        if (!names.empty())
            found.notes.push_back(
                fmt::format("{} {}: {}", plural(std::ssize(names), noun), what, someOf(names)));
    }

    fs::path root_;
    FoundImages images_;
    std::vector<std::string> unused_, withoutSession_;
};

CohortCases casesOfFolder(const std::string& input, const std::string& output) {
    const fs::path root = fs::absolute(input).lexically_normal();
    FolderCases folder(root, output);
    const fs::path table = root / "participants.tsv";
    std::error_code failure;
    const auto kind = fs::symlink_status(table, failure).type();
    if (!folder.isBids() || kind == fs::file_type::not_found)
        return std::move(folder.found);
    if (const std::string why = whyAbsent(table); !why.empty())
        folder.found.notes.push_back(fileNote(table.string(), why + ", so no group is known"));
    else
        addParticipants(table.string(), folder.found);
    return std::move(folder.found);
}

/// Sorts, and leaves out the second of two cases with one id.
void order(CohortCases& found) {
    std::ranges::stable_sort(found.cases, {}, &CohortCase::id);
    std::vector<CohortCase> kept;
    for (CohortCase& each : found.cases) {
        if (each.subject.empty())
            found.refusals.push_back(
                fileError(each.image, "no letter or digit of its name can name a participant")
                    .what());
        else if (each.id.size() > longestId)
            found.refusals.push_back(
                fileError(each.image,
                          fmt::format("its id {}... has {} characters, more than {}; a table "
                                      "(.csv) can give it a shorter one",
                                      each.id.substr(0, shownOfId), each.id.size(), longestId))
                    .what());
        else if (!kept.empty() && kept.back().id == each.id)
            found.refusals.push_back(fileError(each.image, fmt::format("{} is called {}, too",
                                                                       kept.back().image, each.id))
                                         .what());
        else
            kept.push_back(std::move(each));
    }
    found.cases = std::move(kept);
}

/// True if a sentence names a file or folder of that participant or session; sub-1 doesn't match
/// sub-10.
bool isOf(const std::string& sentence, const std::string& name) {
    const std::string begin = "/" + name;
    for (std::size_t at = sentence.find(begin); at != sentence.npos;
         at = sentence.find(begin, at + 1)) {
        const std::size_t next = at + begin.size();
        const auto c = static_cast<unsigned char>(next < sentence.size() ? sentence[next] : ' ');
        if (!std::isalnum(c) && c != '-' && c < 0x80)
            return true;
    }
    return false;
}

/// A sentence after "; " on a file or folder of that participant or session; empty: there is none.
std::string whyNone(const CohortCases& found, const std::string& name) {
    for (const std::vector<std::string>* sentences : {&found.unread, &found.refusals})
        for (const std::string& sentence : *sentences)
            if (isOf(sentence, name))
                return "; " + sentence;
    return {};
}

void select(CohortCases& found, const std::vector<std::string>& labels, const std::string& prefix,
            std::string CohortCase::*label, const char* option) {
    std::vector<CohortCase>& cases = found.cases;
    if (labels.empty())
        return;
    std::set<std::string> wanted;
    for (const std::string& each : labels) {
        const std::string bare =
            bidsLabel(each.starts_with(prefix) ? each.substr(prefix.size()) : each);
        if (std::ranges::find(cases, bare, label) == cases.end())
            throw UsageError(fmt::format("{}: no case is of {}{}{}", option, prefix, bare,
                                         whyNone(found, prefix + bare)));
        wanted.insert(bare);
    }
    std::erase_if(cases, [&](const CohortCase& each) { return !wanted.contains(each.*label); });
}

} // namespace

std::string CohortCase::folder() const {
    return "sub-" + subject + (session.empty() ? "" : "/ses-" + session);
}

std::string bidsLabel(std::string_view text) { return plainName(text, ""); }

CohortCases findCases(const std::string& input, const std::string& output,
                      const CohortSelection& selection) {
    const std::string lower = lowerCase(input);
    CohortCases found;
    if (const std::string why = whyAbsent(input); !why.empty())
        throw fileError(input, why);
    const fs::file_type kind = kindOf(input);
    if (kind == fs::file_type::not_found)
        throw fileError(input, noSuchPath);
    if (kind == fs::file_type::directory)
        found = casesOfFolder(input, output);
    else if (lower.ends_with(".csv") || lower.ends_with(".tsv"))
        found = casesOfTable(input);
    else if (lower.ends_with(".xlsx") || lower.ends_with(".xls") || lower.ends_with(".ods"))
        throw fileError(input, "is a spreadsheet; save it as CSV in UTF-8");
    else
        throw fileError(input, "is neither a folder nor a table of cases (.csv, .tsv)");
    order(found);
    if (found.cases.empty()) {
        const std::vector<std::string>& why = !found.unread.empty()     ? found.unread
                                              : !found.refusals.empty() ? found.refusals
                                                                        : found.notes;
        throw fileError(input, why.empty()
                                   ? std::string("has no image (.nii.gz, .nii, .mha, .mhd, .nrrd)")
                                   : fmt::format("has no case; {}", why.front()));
    }
    select(found, selection.participants, "sub-", &CohortCase::subject, "--participant-label");
    select(found, selection.sessions, "ses-", &CohortCase::session, "--session-label");
    return found;
}

} // namespace systole
