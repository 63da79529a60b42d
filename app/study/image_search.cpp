#include "app/study/image_search.h"

#include "app/base/json_file.h"
#include "app/base/plural.h"
#include "io/base/absent_content.h"
#include "io/base/text.h"
#include "io/dicom/file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::array imageEndings{".nii.gz", ".nii", ".mha", ".mhd", ".nrrd", ".nhdr"};
/// Images, too, which a study has in other roles as well: a table names those that are cases.
constexpr std::array otherImageEndings{".hdr",     ".gipl",   ".gipl.gz", ".vtk",    ".mnc",
                                       ".nii.bz2", ".nii.xz", ".nii.zst", ".nii.zip"};
/// Endings of files next to images that aren't images.
constexpr std::array otherEndings{".json", ".tsv", ".csv",  ".txt",  ".md",   ".pdf",
                                  ".png",  ".jpg", ".html", ".bval", ".bvec", ".img"};
/// Folders that BIDS sets apart from the data of participants.
constexpr std::array setApart{"code", "derivatives", "phenotype", "sourcedata", "stimuli"};
constexpr const char* descriptionName = "dataset_description.json";
constexpr int deepest = 12;                 ///< folders within folders
constexpr std::size_t maxEntries = 1000000; ///< files and folders that are looked at

template <typename Endings>
bool endsWithOneOf(const std::string& name, const Endings& endings) {
    return std::ranges::any_of(endings, [&](const std::string ending) {
        return name.size() > ending.size() && lowerCase(name).ends_with(ending);
    });
}

bool hasControl(const std::string& name) {
    return std::ranges::any_of(
        name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool namesParticipant(const std::string& name) {
    return name.starts_with("sub-") || name.starts_with("ses-");
}

/// The results of a program, as BIDS marks them.
bool isDerivative(const fs::path& folder) {
    const auto description = readJson((folder / descriptionName).string());
    return description && description->value("DatasetType", Json()) == "derivative";
}

class ImageSearch {
public:
    ImageSearch(const fs::path& root, const std::string& output) {
        std::error_code failure;
        output_ = fs::weakly_canonical(output, failure);
        if (failure)
            throw fileError(output, failure.message());
        const std::vector<fs::directory_entry> entries = entriesOf(root, failure);
        if (failure)
            throw fileError(root.string(), "can't be read as a whole: " + failure.message());
        found.bids = std::ranges::any_of(entries, [&](const fs::directory_entry& entry) {
            const std::string name = entry.path().filename().string();
            return name == descriptionName ||
                   (name.starts_with("sub-") && isFolder(entry.path(), failure));
        });
        if (failure)
            throw fileError(root.string(), "can't be read as a whole: " + failure.message());
        takeAll(root, entries, 0);
        leftOut();
    }

    FoundImages found;

private:
    std::vector<fs::directory_entry> entriesOf(const fs::path& folder, std::error_code& failure) {
        std::vector<fs::directory_entry> sorted; // the file system lists them in any order
        fs::directory_iterator entries(folder, failure);
        for (; !failure && entries != fs::directory_iterator(); entries.increment(failure)) {
            if (++seen_ > maxEntries)
                throw fileError(folder.string(),
                                fmt::format("more than {} files lie here and before; name the "
                                            "cases in a table (.csv)",
                                            maxEntries));
            sorted.push_back(*entries);
        }
        std::ranges::sort(sorted);
        return sorted;
    }

    /// True for a folder, false for a link to one. `failure` doesn't change if this succeeds.
    static bool isFolder(const fs::path& path, std::error_code& failure) {
        std::error_code own;
        const fs::file_status status = fs::symlink_status(path, own);
        if (own && status.type() != fs::file_type::not_found)
            failure = own;
        return fs::is_directory(status);
    }

    void look(const fs::path& folder, int depth) {
        if (depth > 0 && isDerivative(folder)) {
            found.notes.push_back(
                fileError(folder.string(),
                          "is a data set of results (DatasetType derivative), so it has no cases")
                    .what());
            return;
        }
        std::error_code failure;
        const std::vector<fs::directory_entry> entries = entriesOf(folder, failure);
        if (failure)
            unread(folder, failure);
        takeAll(folder, entries, depth);
    }

    void takeAll(const fs::path& folder, const std::vector<fs::directory_entry>& entries,
                 int depth) {
        bool probed = false;
        // A data set within the study sets the same folders apart.
        const bool setsApart = depth == 0 || found.bids ||
                               std::ranges::any_of(entries, [](const fs::directory_entry& entry) {
                                   return entry.path().filename() == descriptionName;
                               });
        for (const fs::directory_entry& entry : entries) {
            const std::string name = entry.path().filename().string();
            const bool image = stemOfImage(name).has_value();
            if (name.starts_with('.')) {
                hidden_ += image ? 1 : 0;
                continue;
            }
            std::error_code failure;
            if (isFolder(entry.path(), failure)) {
                takeFolder(entry.path(), name, depth, setsApart);
            } else if (failure) {
                unread(entry.path(), failure);
            } else if (fs::is_symlink(entry.symlink_status(failure))) {
                takeLink(entry.path(), name, setsApart);
            } else if (image) {
                takeImage(entry.path(), name);
            } else if (endsWithOneOf(name, otherImageEndings)) {
                refuse(entry.path(), "is of a format whose files are cases in a table (.csv) only");
            } else if (!probed && !endsWithOneOf(name, otherEndings)) {
                probed = true; // one file tells for its folder
                if (entry.is_regular_file(failure) && isDicomFile(entry.path().string()))
                    refuse(folder,
                           "has DICOM files; a table (.csv) can name such a folder as a case");
            }
        }
    }

    void takeFolder(const fs::path& path, const std::string& name, int depth, bool setsApart) {
        if (setsApart && std::ranges::find(setApart, name) != setApart.end()) {
            apart_.insert(name);
            return;
        }
        std::error_code failure;
        const fs::path whole = fs::weakly_canonical(path, failure);
        if (failure)
            unread(path, failure);
        else if (whole == output_)
            return;
        else if (!isNameable(path, name))
            return;
        else if (depth == deepest)
            refuse(path, "lies too deep to be looked into");
        else {
            const std::size_t before = taken();
            look(path, depth + 1);
            if (found.bids && depth == 0 && name.starts_with("sub-") && taken() == before)
                found.emptyParticipants.push_back(path.string());
        }
    }

    void takeLink(const fs::path& path, const std::string& name, bool setsApart) {
        const bool image = stemOfImage(name).has_value();
        std::error_code failure;
        const fs::file_status target = fs::status(path, failure);
        if (fs::is_directory(target)) {
            if (fs::weakly_canonical(path, failure) == output_)
                return;
            if (setsApart && std::ranges::find(setApart, name) != setApart.end())
                apart_.insert(name);
            else if (isNameable(path, name))
                refuse(path, "is a link to a folder, which isn't followed; a table (.csv) can name "
                             "the images there");
        } else if (const std::string why = whyAbsent(path); image || !why.empty()) {
            // Other names are of texts, but for a participant that is a link as a whole.
            if (image && why.empty() && failure)
                unread(path, failure);
            else if (image)
                takeImage(path, name);
            else if (namesParticipant(name) && name.find('.') == std::string::npos)
                refuse(path, why);
        }
    }

    void takeImage(const fs::path& path, const std::string& name) {
        std::error_code failure;
        if (!isNameable(path, name))
            return;
        if (const std::string why = whyAbsent(path); !why.empty()) {
            found.absent.insert(path.string());
            refuse(path, why);
        } else if (const fs::file_status status = fs::status(path, failure);
                   fs::is_regular_file(status))
            found.names[path.parent_path()].push_back(name);
        else if (failure)
            unread(path, failure);
        else
            refuse(path, "isn't a file");
    }

    bool isNameable(const fs::path& path, const std::string& name) {
        if (!hasControl(name) && isUtf8(name))
            return true;
        refuse(path,
               hasControl(name) ? "its name has a control character" : "its name isn't UTF-8");
        return false;
    }

    void refuse(const fs::path& path, const std::string& why) {
        found.refusals.push_back(fileNote(path.string(), why));
    }
    void unread(const fs::path& path, const std::error_code& failure) {
        found.unread.push_back(fileNote(path.string(), "can't be read: " + failure.message()));
    }

    std::size_t taken() const {
        std::size_t count = found.refusals.size() + found.unread.size() + found.notes.size();
        for (const auto& [folder, names] : found.names)
            count += names.size();
        return count;
    }

    void leftOut() {
        if (!apart_.empty())
            found.notes.push_back(
                fmt::format("folders that BIDS sets apart have no cases: {}; name one as INPUT to "
                            "take its images",
                            fmt::join(apart_, ", ")));
        if (hidden_ > 0)
            found.notes.push_back(plural(hidden_, "image") +
                                  " whose name begins with a dot: no case, since it is hidden");
    }

    fs::path output_;
    std::size_t seen_ = 0;
    std::int64_t hidden_ = 0;
    std::set<std::string> apart_;
};

} // namespace

std::optional<std::string> stemOfImage(const std::string& name) {
    for (const std::string ending : imageEndings)
        if (name.size() > ending.size() && lowerCase(name).ends_with(ending))
            return name.substr(0, name.size() - ending.size());
    return std::nullopt;
}

FoundImages searchImages(const fs::path& root, const std::string& output) {
    return ImageSearch(root, output).found;
}

} // namespace systole
