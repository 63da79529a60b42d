// What `systole landmarks tre` says of one or several cases: a table, and the same as CSV and JSON.
#pragma once

#include "app/cli/overwrite.h"
#include "compute/landmarks/target_error.h"
#include "io/landmarks/landmark_file.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Pairs of points from two files.
struct NamedPairs {
    PointPairs pairs;
    std::vector<std::string> names; ///< the points', or their number from 1
};

/// By names if both files name all their points and share a name, else in their order. Throws
/// FileError for counts that differ and for a name that only one file has.
NamedPairs pairUp(const std::string& fixedPath, const LandmarkSet& fixed,
                  const std::string& movingPath, const LandmarkSet& moving);

struct CaseErrors {
    std::string name;
    std::string fixedFile, movingFile;
    std::string motion;              ///< what moved the points; empty: nothing
    std::vector<std::string> points; ///< names of the pairs
    PointErrors initial;
    std::optional<PointErrors> after;   ///< at the points as the motion puts them
    std::optional<PointErrors> snapped; ///< at the nearest voxels; empty: no grid is known
    double seconds = 0;                 ///< that a registration took; 0: there was none
    std::vector<std::string> notes;
};

/// Names of the points of which the motion says nothing.
std::vector<std::string> pointsOutside(const CaseErrors& errors);

void printCase(const CaseErrors& errors);
/// A line per case, and the mean over the cases of each set, such as "case" or "copd".
void printCases(const std::vector<CaseErrors>& cases);

/// Throws UsageError unless the name ends with .csv or .json.
void requireTableName(const std::string& path);
/// A row per case and measure (before, after, after_snapped), or JSON with the error of each point.
/// `skipped`: sentences for JSON. Nothing if the path is empty.
void writeErrors(const OverwriteOption& overwrite, const std::string& path,
                 const std::vector<CaseErrors>& cases,
                 const std::vector<std::string>& skipped = {});

} // namespace systole
