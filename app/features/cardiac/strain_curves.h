// The curves of a table that was written before, of this program or of one that keeps to its
// columns (docs/manual/strain-files.md): read back, to be drawn beside those of now.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace systole {

struct StrainCurves {
    std::string name;                 ///< name of the file
    bool ofSegments = false;          ///< segmentsCsv(); else curvesCsv()
    std::vector<double> frame;        ///< numbers, in the table's order
    std::vector<double> milliseconds; ///< times since end diastole, by frame; NaN: unknown
    /// Curves by column, [segment − 1][frame]; the whole ventricle has one curve. NaN: unknown.
    std::map<std::string, std::vector<std::vector<double>>> of;
};

/// Throws FileError with the line for what isn't such a table: a row a frame, or a row a segment
/// and frame in which all segments from 1 on follow one another.
StrainCurves readStrainCurves(const std::string& path);

} // namespace systole
