// Pictures of two images under a displacement: what a registration shows of an iteration. Straight
// from the displacement, for the voxels that are shown.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/core/voxel_box.h"
#include "compute/ops/index_map.h"

namespace systole {

enum class ComparisonView {
    Fixed,
    Warped,       ///< the moving image at the displaced position, clamped to its grid
    Difference,   ///< fixed − warped; no difference is the middle of the gray range
    Checkerboard, ///< cubes of both in turn
    Grid,         ///< the warped image with planes of a regular grid that moved with it
    Jacobian,     ///< determinant of the map; 1 is the middle of the gray range, 0 and 2 its ends
    /// Its logarithm, so that growth and shrinkage look alike: 1 is the middle, ½ and 2 the ends.
    LogJacobian
};

/// Everything on the host, or everything on the device.
struct Comparison {
    VolumeView<const float> fixed, moving;
    IndexMap toMoving;
    /// Displacement in fixed voxels, of the voxels of `fieldBox`, which contains the picture's box,
    /// for both of the determinant grown.
    FieldView<const float> field;
    VoxelBox fieldBox;
    float low = 0, high = 1; ///< gray range
    float square[3]{};       ///< edges of the checkerboard's cubes, fixed voxels
    float plane[3]{};        ///< distances of the grid's planes, fixed voxels
};

/// `spacing` and `size` of the fixed image decide on cubes and planes: cubes in space, as many
/// along its longest axis.
void setCubes(Comparison& comparison, const Geometry& fixed);

/// out[i] for the voxels of `box`, x fastest. In parallel over rows. Throws ComputeError unless
/// `fieldBox` contains what the view needs.
void drawComparison(ComparisonView view, const Comparison& comparison, const VoxelBox& box,
                    float* out, const ExecContext& ctx);

/// Overload with all data on the device, on its compute stream; waits only where ctx has a profile.
/// Defined in builds with CUDA (cudaIsBuilt).
void drawComparisonOnDevice(ComparisonView view, const Comparison& comparison, const VoxelBox& box,
                            float* out, const ExecContext& ctx);

} // namespace systole
