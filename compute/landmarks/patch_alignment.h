// Sub-voxel positions: the patch around a point of one frame is shifted over another frame until
// their gray values differ least.
//
//     min_d Σ_k g_k ((M(p + k + d) − M̄) − (F(p + k) − F̄))²
// with Gaussian weights g and the weighted means taken off, by Gauss–Newton steps with the gradient
// of F (Lucas & Kanade 1981; Baker & Matthews 2004, inverse compositional). The three axes are
// solved together: parabolas along each of them alone are wrong where the patch's structure is
// oblique.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <span>

namespace systole {

struct PatchAlignment {
    Size3 radius{5, 5, 4}; ///< half-widths of the patch, voxels; the Gaussian's σ is half of it
    int steps = 12;        ///< max iterations
    double farthest = 1.5; ///< voxels per axis; what wants to go farther stays where it was
};

/// Moves displacements[i] (voxels) of point i of the fixed frame, cubic between voxels, frames
/// going on beyond their border. Points are whole voxels of the fixed frame. Frames have one size.
/// Returns how many were aligned.
int alignPatches(VolumeView<const float> fixed, VolumeView<const float> moving,
                 std::span<const Vec3> points, const PatchAlignment& settings,
                 std::span<Vec3> displacements, const ExecContext& ctx);

} // namespace systole
