// Points and tracks on disk. In memory they are LPS mm whatever the file's frame is; files that we
// write are LPS and say so where their format can.
//
//   DIR-Lab     .txt     three columns of voxel indices, from 1, without a header
//   Slicer      .mrk.json, .fcsv   LPS or RAS mm, as the file says
//   elastix     .txt     "point" (LPS mm) or "index" (voxels from 0), the count, the points; or
//                        transformix' outputpoints.txt, of which OutputPoint is taken
//   CSV         .csv     x, y, z and perhaps a name, with or without a header; LPS mm unless a
//                        comment line "# coordinateSystem: RAS" says otherwise, or voxels from 0
//                        under a header i, j, k. Separated by commas, semicolons or tabs; with the
//                        last two, numbers may have decimal commas
#pragma once

#include "compute/core/geometry.h"
#include "compute/landmarks/landmark_set.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

enum class LandmarkFormat { DirLab, Markups, Fcsv, Elastix, Csv };
const char* name(LandmarkFormat format); ///< "DIR-Lab voxel indices", "Slicer markups", ...

/// Meaning of the numbers in columns of text and in CSV, which don't state it themselves.
enum class LandmarkCoordinates {
    /// Columns without commas: voxels counted from 1, as DIR-Lab's, if they are whole numbers or
    /// the file's name begins with a case. CSV: voxels counted from 0 under a header i, j, k, else
    /// mm.
    Auto,
    Millimeters,
    IndexFromZero,
    IndexFromOne
};

struct LandmarkReadOptions {
    /// The grid that voxel indices refer to. Empty: that of the DIR-Lab case that the file's name
    /// begins with ("case1_300_T00_xyz.txt", "copd3_300_iBH_xyz_r1.txt"), if it names one.
    std::optional<Geometry> grid{};
    LandmarkCoordinates coordinates = LandmarkCoordinates::Auto;
};

/// Points as a file has them.
struct StoredLandmarks {
    LandmarkSet set;
    LandmarkFormat format = LandmarkFormat::Csv;
    /// Grid to which the indices refer; empty: the file has millimeters.
    std::optional<Geometry> grid;
    std::vector<std::string> notes; ///< warnings for the user, a sentence each
};

/// Told apart by content. Throws FileError, with the line where there is one: for no points, a
/// number that is none (commas as decimal points among them, where commas or blanks separate) or
/// not finite, wrong counts or columns, what is stated twice and differs, values of another type
/// than theirs, units other than mm, names that occur twice, indices without a grid or outside it,
/// and more than a million points. Points that occur twice are noted: voxel indices often do.
StoredLandmarks readLandmarks(const std::string& path, const LandmarkReadOptions& options = {});

struct LandmarkWriteOptions {
    /// Empty: by extension, .mrk.json, .fcsv, .csv, .txt (elastix).
    std::optional<LandmarkFormat> format{};
    /// The grid to which DIR-Lab's indices refer; they are rounded to whole voxels.
    std::optional<Geometry> grid{};
};

/// Throws FileError where the format can't be told, can't hold the points, or isn't that of the
/// name's extension.
void writeLandmarks(const std::string& path, const LandmarkSet& set,
                    const LandmarkWriteOptions& options = {});

/// Tracks as .csv (columns track, frame, x, y, z, certainty; a row for every frame of every track,
/// without coordinates where the point was lost) or .mrk.json (a list of points per frame, lost
/// ones with positionStatus "missing"). LPS mm.
void writeTracks(const std::string& path, const LandmarkTracks& tracks);
/// Reads what writeTracks() wrote, also where another program wrote it. Throws FileError.
LandmarkTracks readTracks(const std::string& path);
/// Whether the file begins like one of tracks; false for one that can't be read.
bool isTracksFile(const std::string& path);

} // namespace systole
