// Any transform that a user may have between two images.
#pragma once

#include "compute/core/affine_map.h"
#include "compute/core/volume.h"
#include "io/transforms/affine_file.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Map from points of the fixed to points of the moving image; one of both members is set.
struct StoredTransform {
    std::optional<AffineMap> affine;
    std::optional<MillimeterField> vectors; ///< displacements in LPS mm
    bool isSpline = false;                  ///< `vectors` are those of control points
    bool backward = false;            ///< `vectors` lead from the moving to the fixed image instead
    std::string description;          ///< "ITK transform", "4 × 4 matrix, LPS", ...
    std::vector<std::string> notes{}; ///< notes on properties that the file doesn't state
};

/// An ITK transform file (text, .mat of ANTs, .h5), elastix' parameters with those that they go on
/// from, a 4×4 matrix in text, a displacement field, or the control points of a spline; told apart
/// by content. ITK's and elastix' splines, fields and chains with them become displacements on the
/// fixed grid of `grids`, or without on their own. `format` is the frame of a matrix; `grids` are
/// needed for FSL's matrices, and fields of FSL take the moving one for their own without them.
/// Throws FileError, also for a field that doesn't say how its axes lie where those of the image in
/// `grids` on which it is lie otherwise than assumed.
StoredTransform readTransform(const std::string& path, MatrixFormat format,
                              const std::optional<FrameGrids>& grids, BufferPool& pool);

/// Displacements of control points in LPS mm on their grid, as a NIfTI file: like a displacement
/// field with the intent name CUBIC_SPLINE, or as NiftyReg writes its grids of control points.
void writeControlPoints(const std::string& path, const MillimeterField& controlPoints,
                        bool asNiftyReg);

} // namespace systole
