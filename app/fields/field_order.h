// Fields of a run of `systole motion` in the order of the frames that they lead to.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct OrderedFields {
    std::vector<std::string> files;
    int first = 0;           ///< the frame in which all of them begin
    std::vector<int> frames; ///< frames to which they lead, ascending; empty: no record states it
    std::string around;      ///< the field once around the cycle and back; empty: none
    std::string note;        ///< note on the order of files that no record lists; empty: none
};

/// The fields in the order that the run.json of their folder states: for a single folder all its
/// fields since the first frame, for files those given. If no such record lists all of the files,
/// their order is that of frameFilesInOrder(). Throws FileError for a folder without a record, for
/// fields that begin in different frames, and for two that lead to the same one.
OrderedFields inOrderOfFrames(const std::vector<std::string>& paths);

} // namespace systole
