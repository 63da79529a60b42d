// Laplace's equation in the voxels of a tissue.
#pragma once

#include "compute/cardiac/tissue.h"
#include "compute/core/exec.h"

#include <span>
#include <vector>

namespace systole::cardiac {

/// The border lies at `part` of the way from a voxel's center to the next one along an index axis,
/// and has a value.
struct FixedFace {
    std::int32_t place = 0; ///< place of the voxel
    int axis = 0;
    double part = 0.5;
    double value = 0;
};

/// Δφ = 0 by finite volumes with the spacing of each axis; flux 0 through every face that isn't
/// fixed. A fixed face has the flux (value − φ) / (part · spacing), so that the border may lie
/// anywhere between the centers: the matrix stays symmetric and the result is of second order
/// (Gibou et al., Journal of Computational Physics 176 (2002)). Conjugate gradients to 1e-10,
/// blocks of voxels solved directly in each of their steps. The same bits for any number of
/// threads. Throws ComputeError without a fixed face, and Cancelled. The voxels are one piece.
std::vector<double> solveLaplace(const TissueVoxels& voxels, std::span<const FixedFace> faces,
                                 ExecContext& ctx);

} // namespace systole::cardiac
