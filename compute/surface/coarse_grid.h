// The signed distance on a coarser grid and back. Noise whose width is about the side of a voxel
// there looks like that of independent voxels, which is what patches can tell from shape.
//
// Distances are smoothed by a third of the coarse spacing along each coarsened axis, which keeps
// edges better than more and lets little noise through; sampled trilinearly, they come back by
// cubic interpolation (sample_cubic.h). Middles of both grids coincide, and the coarse one reaches
// at least to the outermost voxels of the fine one.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <array>

namespace systole {

struct CoarseGrid {
    Size3 fine, size; ///< voxels
    Vec3 spacing;     ///< mm
    Vec3 sigma; ///< sigma of the smoothing, voxels of the fine grid; 0 along an axis that stays
    std::array<float, 3> ratio{1, 1, 1}; ///< spacing over that of the fine grid

    /// Axes with a spacing below `side`, in sides of the smallest voxel, get this one; an axis of
    /// one voxel stays.
    static CoarseGrid of(Size3 fine, Vec3 spacing, double side);
    bool isFine() const { return size == fine; } ///< no axis got another one
};

/// `fine` on the coarse grid, with and without smoothing. Views on the host, of the grid's sizes.
void coarsen(VolumeView<const float> fine, const CoarseGrid& grid, VolumeView<float> smooth,
             VolumeView<float> asItIs, const ExecContext& ctx);
/// `coarse` on the fine grid, plus `shift`.
void refine(VolumeView<const float> coarse, const CoarseGrid& grid, float shift,
            VolumeView<float> fine, const ExecContext& ctx);

/// Both steps in device memory, on the Compute stream. Defined in builds with CUDA (cudaIsBuilt).
void coarsenOnDevice(VolumeView<const float> fine, const CoarseGrid& grid, VolumeView<float> smooth,
                     VolumeView<float> asItIs, const ExecContext& ctx);
void refineOnDevice(VolumeView<const float> coarse, const CoarseGrid& grid, float shift,
                    VolumeView<float> fine, const ExecContext& ctx);

} // namespace systole
