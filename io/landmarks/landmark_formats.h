// The readers and writers behind landmark_file.h, one pair per format.
#pragma once

#include "io/landmarks/landmark_file.h"
#include "io/landmarks/landmark_text.h"

#include <array>
#include <string>
#include <vector>

namespace systole::landmarks {

/// Contents are as readText() returns them; paths are for messages alone. All points are LPS mm.
using Read = StoredLandmarks(const std::string& path, const std::string& text,
                             const LandmarkReadOptions& options);
Read readDirLab, readElastix, readCsv, readMarkups, readFcsv;

/// The content of a file.
using Text = std::string(const std::string& path, const LandmarkSet& set,
                         const LandmarkWriteOptions& options);
Text dirLabText, elastixText, csvText, markupsText, fcsvText;

/// The grid of voxel indices: that of the options, or of the case that the name begins with. Throws
/// FileError if neither is known; `what` the file holds.
Geometry gridOfIndices(const std::string& path, const LandmarkReadOptions& options,
                       const char* what);
/// The point at an index counted from `first`. Throws FileError outside the grid.
Vec3 pointAt(const std::string& path, int line, const Geometry& grid, Vec3 index, int first);

/// The numbers in three columns of a row. Throws FileError for what is no coordinate.
Vec3 positionIn(const std::string& path, int line, const std::vector<std::string>& fields,
                const std::array<std::size_t, 3>& columns);

/// One list of a markups file.
struct MarkupsPoint {
    std::string label;
    std::string description;
    std::optional<Vec3> position; ///< LPS mm; empty: the file says that it is missing
};
struct MarkupsList {
    std::string name;
    std::vector<MarkupsPoint> points;
    bool frameStated = true; ///< whether the file names its coordinate system
};
std::vector<MarkupsList> parseMarkups(const std::string& path, const std::string& text);
std::string markupsJson(const std::vector<MarkupsList>& lists);

/// "frame 3" in the name of a list of points; -1: none.
int frameOfName(const std::string& path, const std::string& name);

} // namespace systole::landmarks
