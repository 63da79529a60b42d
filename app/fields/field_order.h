// Fields of a run of `systole motion` in the order of the frames that they lead to.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct OrderedFields {
    std::vector<std::string> files;
    int first = 0;           ///< the frame in which all of them begin
    std::vector<int> frames; ///< that they lead to, ascending; empty: no record says it
    std::string around;      ///< the field once around the cycle and back; empty: none
    std::string note;        ///< on the order of files that no record lists; empty: none
};

/// As the run.json of their folder says: of a single folder all that it has since the first frame,
/// of files those that it lists. Files that no such record lists as a whole: frameFilesInOrder().
/// Throws FileError for a folder without a record, and for fields of which some begin in another
/// frame or two lead to the same one.
OrderedFields inOrderOfFrames(const std::vector<std::string>& paths);

} // namespace systole
