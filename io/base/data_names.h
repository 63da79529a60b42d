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
/// As a header states it: nothing is made of its numbers before their count is compared with that
/// of the files that are expected.
struct NamePattern {
    std::string before, after; ///< texts around the number in a name
    int digits = 0;            ///< minimum width of the number, filled up with zeros or blanks
    bool zeros = false;
    long long first = 0, step = 1;
    std::uint64_t count = 0;
    std::vector<std::string> rest; ///< words behind the step

    /// The paths of the files, as of besideHeader(). Throws FileError at the first that is missing.
    std::vector<std::string> filesBeside(const std::string& headerPath) const;
};
/// Throws FileError.
NamePattern parseNamePattern(const std::string& headerPath, const std::string& text);

/// MetaIO's patterns may end behind the name, the first or the last value: the values are then 1,
/// as many as there are `files`, and the step 1. Other texts, and the name of a file that is there,
/// come back as they are.
std::string completedNamePattern(const std::string& headerPath, const std::string& text,
                                 std::uint64_t files);

} // namespace systole
