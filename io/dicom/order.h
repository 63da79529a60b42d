// Planes in any order become frames of slices: sorted by position along the normal and by time.
#pragma once

#include "io/dicom/planes.h"

#include <string>
#include <vector>

namespace systole {

struct DicomArrangement {
    Geometry geometry;
    /// frames[t][z]; columns along x, rows along y, slices along the normal.
    std::vector<std::vector<DicomPlane>> frames;
    std::vector<double> timesSeconds; ///< empty when unknown
    double closingSeconds = 0;
    std::vector<std::string> notes;
};

/// `named` is the folder or file named in messages about the whole series. Throws FileError when
/// planes don't share one grid, slices are missing, or frames have unequal numbers of them.
DicomArrangement arrangePlanes(const std::string& named, std::vector<DicomPlane> planes);

} // namespace systole
