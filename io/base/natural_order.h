// The order of files by the numbers in their names: frame2 before frame10, which a shell's or a
// file manager's order of characters puts first.
#pragma once

#include <string>
#include <vector>

namespace systole {

/// Paths sorted by the numbers in their names, else by characters. "0.25" and "0.5" count as
/// decimals where the fractions of the names are of different length and none ends with 0; else
/// each run of digits is a number. "-" is its sign where another name has none at the same place:
/// t-5 next to t0.
std::vector<std::string> sortedByNumbers(std::vector<std::string> paths);

struct FilesInOrder {
    std::vector<std::string> paths;
    std::string note; ///< one sentence where the order isn't the given one, or not that of numbers
};
/// Files as a command line names them. An order of characters, as a shell makes it of a pattern, is
/// put into the order of numbers; any other order is the user's, and stays.
FilesInOrder frameFilesInOrder(std::vector<std::string> paths);

} // namespace systole
