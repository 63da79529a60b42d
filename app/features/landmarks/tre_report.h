// Report of `systole landmarks tre` on one or several cases: a table, and its figures as CSV and
// JSON.
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

/// Pairs points by name if both files name all their points and share a name, otherwise by their
/// order. Throws FileError for counts that differ and for a name that only one file has.
NamedPairs pairUp(const std::string& fixedPath, const LandmarkSet& fixed,
                  const std::string& movingPath, const LandmarkSet& moving);

struct CaseErrors {
    std::string name;
    std::string fixedFile, movingFile;
    std::string motion;              ///< source of the motion that moved the points; empty: none
    std::vector<std::string> points; ///< names of the pairs
    PointErrors initial;
    std::optional<PointErrors> after; ///< errors of the points that the motion has moved
    /// Errors after rounding to the nearest voxels; empty: no grid is known.
    std::optional<PointErrors> snapped;
    double seconds = 0; ///< time of the registration; 0: there was none
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
