// The files of voxels that a text header names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// The path of a file that a header names. It must lie in the header's own folder or in one below
/// it: a received file must not make us read any other file. Backslashes of Windows are understood.
/// Throws FileError otherwise.
std::string besideHeader(const std::string& headerPath, const std::string& named);

/// "image%03d.raw 1 5 2": the names of several files, here of numbers 1, 3 and 5.
bool isNamePattern(const std::string& text);
struct NamePattern {
    std::vector<std::string> names;
    std::vector<std::string> rest; ///< words behind the step
};
/// `most` names at most. Throws FileError.
NamePattern parseNamePattern(const std::string& headerPath, const std::string& text,
                             std::uint64_t most);

} // namespace systole
