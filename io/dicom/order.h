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
    std::string series; ///< "series 8 'cine SA'"; empty: the files don't say
};

/// `named` is the folder or file named in messages about the whole series; `wanted` the file that
/// tells which of several kinds of images is read, or empty. Throws FileError when planes don't
/// share one grid, slices are missing, frames have unequal numbers of them, or images of one place
/// and time can't be told apart.
DicomArrangement arrangePlanes(const std::string& named, std::vector<DicomPlane> planes,
                               const std::string& wanted = {});

} // namespace systole
