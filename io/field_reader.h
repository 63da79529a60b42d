// Vector images of transformations, as ITK, ANTs, greedy, NiftyReg and we write them.
#pragma once

#include "compute/core/volume.h"

#include <string>

namespace systole {

struct StoredVectors {
    MillimeterField field; ///< displacements in LPS mm on the grid of the file
    bool isSpline = false; ///< of the control points of a cubic B-spline, not of voxels
};

/// Throws FileError for anything but finite vectors of three components.
StoredVectors readVectors(const std::string& path, BufferPool& pool);

} // namespace systole
