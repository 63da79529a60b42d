// The inverse of a displacement field, from its moving to its fixed image.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

struct InverseOptions {
    int maxIterations = 60;  ///< max iterations of each kind of step
    double tolerance = 1e-3; ///< max remaining error, mm
};

/// The remaining error of a voxel q is |T(q + inverse(q)) − q|, where T is the forward
/// displacement added to its point.
struct InverseReport {
    std::size_t inside = 0;    ///< voxels whose inverse lies inside the forward field's grid
    std::size_t converged = 0; ///< voxels inside with an error of at most the tolerance
    double meanError = 0, largestError = 0; ///< errors of the voxels inside, mm
    int iterations = 0;                     ///< iterations of the slowest voxel
};

struct InverseField {
    MillimeterField field; ///< inverse on the target grid
    InverseReport report;
};

/// The displacement from points of `target` (the moving image's grid) back to the fixed image, by
/// fixed-point iteration (Chen et al., Med. Phys. 35, 2008) around the affine map that fits
/// T best: x ← x − L⁻¹ (T(x) − q), halved while a step makes the error larger, so that large affine
/// parts converge too; where that ends early, by the derivatives of T at x instead of L. Outside
/// the forward field's grid its deviation from that map is the one at the border. Where the
/// forward field folds an error may remain. Throws ComputeError if the affine part can't be
/// inverted. Bitwise equal for any number of threads.
InverseField invertField(const VectorField& forward, const Geometry& target,
                         const InverseOptions& options, const ExecContext& ctx);

} // namespace systole
