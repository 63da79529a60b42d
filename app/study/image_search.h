// The images in the folders of a study, and all that looks like one and isn't taken.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace systole {

struct FoundImages {
    bool bids = false; ///< the study is a BIDS data set
    /// Names by folder, ascending; label maps too.
    std::map<std::filesystem::path, std::vector<std::string>> names;
    /// Images and label maps whose content isn't on this computer; refused, too.
    std::set<std::string> absent;
    /// A sentence each: what isn't taken; what couldn't be looked at, so that more may be there;
    /// what is left out by a rule.
    std::vector<std::string> refusals, unread, notes;
    /// Folders sub-* of a BIDS data set in which there is no file or folder that is named above.
    std::vector<std::string> emptyParticipants;
};

/// All in `root` and below, but `output` (the folder of the results), hidden files, the folders
/// that BIDS sets apart, and data sets of results. Links to folders aren't followed, so none leads
/// round in a circle. Throws FileError if `root` itself can't be read, or has too many files.
FoundImages searchImages(const std::filesystem::path& root, const std::string& output);

/// The name without the ending of an image of a study; nothing for other files.
std::optional<std::string> stemOfImage(const std::string& name);

} // namespace systole
