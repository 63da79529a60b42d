// The ways of the literature to compute the dense field of a B-spline on a device, beside the one
// that the product takes (compute/ops/bspline_field.h).
#pragma once

#include "compute/ops/bspline_field.h"

namespace systole::lab {

/// The variants of the field's kernel. "global" and the textures don't use that voxels of a tile
/// share their control points; the others do.
inline constexpr KernelVariant bsplineVariants[] = {
    {"global", "A thread per voxel: 64 control points from global memory.", 256},
    {"texture-1d", "As global, the control points through a linear texture.", 256},
    {"thread-per-voxel", "A block per tile, which keeps its 64 control points in shared memory.",
     128},
    // Eight fetches, each of whose weights is rounded to 1/256, of points that differ by much.
    {.name = "texture-filter",
     .summary = "A thread per voxel: eight filtered fetches, with 8-bit weights.",
     .tolerance = 0.03},
    {"thread-per-tile",
     "A thread per tile, which keeps its 64 control points in registers.",
     64,
     {32, 256}},
    {"thread-per-tile-lerp",
     "As thread-per-tile, the sum as nine trilinear interpolations.",
     64,
     {32, 256}},
    bsplineColumns,
};
inline constexpr KernelFamily bsplineFamily{"bspline", bsplineVariants};

/// The field by a variant of bsplineFamily, with all arrays on the device, on its compute stream;
/// waits where ctx has a profile. The texture variants make a texture at each call, and wait.
/// Throws like bsplineFieldOnDevice(), and for texture variants unless the three components of the
/// points lie behind one another. In builds with CUDA (cudaIsBuilt).
void bsplineFieldOnDevice(int variant, ControlPointsView<const float> points,
                          FieldView<float> field, const ExecContext& ctx);

/// Minimum work of every variant: 12 bytes written per voxel, and nothing else. The floor that
/// `systole bench bspline` compares with.
void writeFieldOnDevice(FieldView<float> field, const ExecContext& ctx);

} // namespace systole::lab
