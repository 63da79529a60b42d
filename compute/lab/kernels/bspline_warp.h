// An image warped by a B-spline, with the gradient of its gray values, straight from the control
// points: the field is neither written to memory nor read back.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"
#include "compute/cuda/kernel_family.h"
#include "compute/ops/index_map.h"

namespace systole::lab {

struct BsplineWarp {
    ControlPointsView<const float> points; ///< control points over the fixed grid, in its voxels
    FieldView<const float> start;          ///< displacement that the spline adds to; may be empty
    VolumeView<const float> moving;
    IndexMap toMoving;
};

/// All of the fixed grid's size. With p(x) = toMoving(x + start(x) + spline(x)):
struct BsplineWarped {
    VolumeView<float> values; ///< trilinear value of the moving image at p(x), clamped to its grid
    VolumeView<float> inside; ///< insideWeight (compute/ops/sample.h) of p(x)
    /// Derivative of `values` with respect to the displacement at x, in gray values per fixed
    /// voxel; zero along axes on which p(x) was clamped. May be empty.
    FieldView<float> gradient;
};

/// Warps on the host; Backend::CpuReference takes the spline from the plain loop. Throws
/// ComputeError unless sizes fit.
void bsplineWarp(const BsplineWarp& in, const BsplineWarped& out, const ExecContext& ctx);

inline constexpr KernelVariant bsplineWarpVariants[] = {
    {"from-field", "Reads the displacement that another kernel wrote.", 256},
    {"fused", "The displacement from the control points, in registers.", 256, {32, 512}},
};
inline constexpr KernelFamily bsplineWarpFamily{"bspline-warp", bsplineWarpVariants};

/// Warps with all data on the device; waits. The variant is one of bsplineWarpFamily. Defined in
/// builds with CUDA (cudaIsBuilt).
void bsplineWarpOnDevice(int variant, const BsplineWarp& in, const BsplineWarped& out,
                         const ExecContext& ctx);

} // namespace systole::lab
