#include "app/cohort/cohort_case.h"
#include "app/error.h"
#include "app/json_file.h"
#include "app/plural.h"
#include "io/text.h"

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

constexpr std::array imageEndings{".nii.gz", ".nii", ".mha", ".mhd", ".nrrd", ".nhdr"};
constexpr std::array labelEndings{"_dseg", "_labels", "_gt", "_mask"};
constexpr std::size_t longestId = 150;       ///< with words around it it's a file's name
constexpr std::size_t shownOfId = 40;        ///< of one that is longer
constexpr int deepest = 12;                  ///< folders within folders
constexpr std::size_t mostEntries = 1000000; ///< files and folders that are looked at

bool hasControl(const std::string& name) {
    return std::ranges::any_of(
        name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// The name without the ending of an image; nothing for other files.
std::optional<std::string> stemOf(const std::string& name) {
    for (const std::string ending : imageEndings)
        if (name.size() > ending.size() && lowerCase(name).ends_with(ending))
            return name.substr(0, name.size() - ending.size());
    return std::nullopt;
}

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

/// The images below a folder, by their folder. Links to folders aren't followed, so none leads
/// round in a circle.
class ImageSearch {
public:
    explicit ImageSearch(const std::string& output) : output_(fs::weakly_canonical(output)) {}

    void look(const fs::path& folder, int depth = 0) {
        std::error_code failure;
        fs::directory_iterator entries(folder, failure);
        if (failure) {
            refusals.push_back(
                fileError(folder.string(), "can't be read: " + failure.message()).what());
            return;
        }
        std::vector<fs::directory_entry> sorted; // not as the file system happens to list them
        for (; entries != fs::directory_iterator(); entries.increment(failure)) {
            if (failure)
                break;
            if (++seen_ > mostEntries)
                throw fileError(folder.string(),
                                fmt::format("more than {} files lie here and before; name the "
                                            "cases in a table (.csv)",
                                            mostEntries));
            sorted.push_back(*entries);
        }
        std::ranges::sort(sorted);
        for (const fs::directory_entry& entry : sorted)
            take(entry, depth);
    }

    std::map<fs::path, std::vector<std::string>> images; ///< names by folder, labels too
    std::vector<std::string> refusals;

private:
    void take(const fs::directory_entry& entry, int depth) {
        const std::string name = entry.path().filename().string();
        std::error_code failure;
        const bool folder = fs::is_directory(entry.symlink_status(failure));
        if (name.starts_with('.') || (!folder && !stemOf(name)))
            return;
        if (hasControl(name) || !isUtf8(name)) {
            refusals.push_back(fileError(entry.path().string(),
                                         hasControl(name) ? "its name has a control character"
                                                          : "its name isn't UTF-8")
                                   .what());
            return;
        }
        if (!folder) {
            if (entry.is_regular_file(failure))
                images[entry.path().parent_path()].push_back(name);
            return;
        }
        const bool derived = depth == 0 && (name == "derivatives" || name == "code");
        if (derived || fs::weakly_canonical(entry.path(), failure) == output_)
            return;
        if (depth == deepest)
            refusals.push_back(
                fileError(entry.path().string(), "lies too deep to be looked into").what());
        else
            look(entry.path(), depth + 1);
    }

    fs::path output_;
    std::size_t seen_ = 0;
};

using NamesByStem = std::map<std::string, std::string>; ///< of the files of a folder

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

bool isBids(const fs::path& folder) {
    std::error_code failure;
    if (fs::exists(folder / "dataset_description.json", failure))
        return true;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure))
        if (at->path().filename().string().starts_with("sub-") && at->is_directory(failure))
            return true;
    return false;
}

CohortCase caseOf(const fs::path& root, const fs::path& folder, const std::string& name, bool bids,
                  bool only) {
    CohortCase made;
    const std::string stem = *stemOf(name);
    made.image = (folder / name).string();
    if (bids) {
        made.id = plainName(stem, "-_");
        made.subject = bidsLabel(entityOf(stem, "sub-"));
        made.session = bidsLabel(entityOf(stem, "ses-"));
        return made;
    }
    // A folder with a single image gives it its name.
    const fs::path place = folder.lexically_relative(root);
    const bool named = only && place != ".";
    made.subject = bidsLabel(named ? place.string() : (place / stem).lexically_normal().string());
    made.id = "sub-" + made.subject;
    return made;
}

CohortCases casesOfFolder(const std::string& input, const std::string& output) {
    const fs::path root = fs::absolute(input).lexically_normal();
    const bool bids = isBids(root);
    ImageSearch search(output);
    search.look(root);
    CohortCases found;
    found.refusals = search.refusals;
    for (const auto& [folder, names] : search.images) {
        std::vector<std::string> images;
        NamesByStem byStem;
        for (const std::string& name : names) {
            const std::string stem = *stemOf(name);
            byStem.emplace(stem, name);
            if (!isLabels(stem) && (!bids || name.starts_with("sub-")))
                images.push_back(name);
        }
        for (const std::string& name : images) {
            CohortCase made = caseOf(root, folder, name, bids, images.size() == 1);
            made.labels = labelsBeside(folder, byStem, *stemOf(name));
            found.cases.push_back(std::move(made));
        }
    }
    std::error_code failure;
    if (const fs::path table = root / "participants.tsv"; bids && fs::exists(table, failure))
        addParticipants(table.string(), found);
    return found;
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

void select(std::vector<CohortCase>& cases, const std::vector<std::string>& labels,
            const std::string& prefix, std::string CohortCase::*label, const char* option) {
    if (labels.empty())
        return;
    std::set<std::string> wanted;
    for (const std::string& each : labels) {
        const std::string bare =
            bidsLabel(each.starts_with(prefix) ? each.substr(prefix.size()) : each);
        if (std::ranges::find(cases, bare, label) == cases.end())
            throw UsageError(fmt::format("{}: no case is of {}{}", option, prefix, bare));
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
    std::error_code failure;
    const std::string lower = lowerCase(input);
    CohortCases found;
    if (fs::is_directory(input, failure))
        found = casesOfFolder(input, output);
    else if (lower.ends_with(".csv") || lower.ends_with(".tsv"))
        found = casesOfTable(input);
    else if (!fs::exists(input, failure))
        throw fileError(input, failure ? failure.message() : "doesn't exist");
    else
        throw fileError(input, "is neither a folder nor a table of cases (.csv, .tsv)");
    order(found);
    if (found.cases.empty())
        throw fileError(input, found.refusals.empty()
                                   ? std::string("has no image (.nii.gz, .nii, .mha, .mhd, .nrrd)")
                                   : fmt::format("has no case; {}", found.refusals.front()));
    select(found.cases, selection.participants, "sub-", &CohortCase::subject,
           "--participant-label");
    select(found.cases, selection.sessions, "ses-", &CohortCase::session, "--session-label");
    return found;
}

} // namespace systole
