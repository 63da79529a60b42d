// The readers and writers behind landmark_file.h, one pair per format.
#pragma once

#include "io/landmarks/landmark_file.h"
#include "io/landmarks/landmark_text.h"

#include <string>
#include <vector>

namespace systole::landmarks {

/// Contents are as readText() returns them; paths are for messages alone. All points are LPS mm.
StoredLandmarks readDirLab(const std::string& path, const std::string& text,
                           const LandmarkReadOptions& options);
StoredLandmarks readElastix(const std::string& path, const std::string& text,
                            const LandmarkReadOptions& options);
StoredLandmarks readCsv(const std::string& path, const std::string& text);
StoredLandmarks readMarkups(const std::string& path, const std::string& text);
StoredLandmarks readFcsv(const std::string& path, const std::string& text);

std::string dirLabText(const std::string& path, const LandmarkSet& set, const Geometry& grid);
std::string elastixText(const LandmarkSet& set);
std::string csvText(const LandmarkSet& set);
std::string markupsText(const LandmarkSet& set);
std::string fcsvText(const LandmarkSet& set);

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
std::string markupsText(const std::vector<MarkupsList>& lists);

/// "frame 3" in the name of a list of points; -1: none.
int frameOfName(const std::string& path, const std::string& name);

} // namespace systole::landmarks
