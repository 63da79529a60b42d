// The dense displacement field of a cubic B-spline, and the transposed operator that turns values
// per voxel into sums per control point. Layout of the control points:
// compute/core/control_grid.h. Rueckert et al., IEEE TMI 18(8), 1999, eq. 2.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/cuda/kernel_family.h"

namespace systole {

/// field(x) = Σ weight(x, p) · points(p), in voxels. Everything on the host; Backend::CpuReference
/// is the plain loop. Throws ComputeError unless the field has the grid's image size, the points
/// its number of control points, and the tile at least one voxel along each axis.
void bsplineField(ControlPointsView<const float> points, FieldView<float> field,
                  const ExecContext& ctx);

/// The implementations for the CPU: Backend::CpuReference is Plain, Backend::Cpu is Separable, the
/// others are those of the literature (compute/ops/bspline_cpu_variants.h).
enum class BsplineCpuVariant { Plain, Rows, VectorPerTile, VectorPerVoxel, Separable };
inline constexpr BsplineCpuVariant bsplineCpuVariants[] = {
    BsplineCpuVariant::Plain, BsplineCpuVariant::Rows, BsplineCpuVariant::VectorPerTile,
    BsplineCpuVariant::VectorPerVoxel, BsplineCpuVariant::Separable};
const char* name(BsplineCpuVariant variant); ///< such as "vector-per-tile"
/// bsplineField() by this variant.
void bsplineField(BsplineCpuVariant variant, ControlPointsView<const float> points,
                  FieldView<float> field, const ExecContext& ctx);

/// The transposed operator: sums(p) = Σ_x weight(x, p) · perVoxel(x), the gradient with respect to
/// the control points of a sum over voxels whose gradient with respect to the field is perVoxel.
/// Same bits for any number of threads. Takes bsplineGradientScratch() floats from the pool of ctx.
/// Throws ComputeError for the same reasons as bsplineField(), and OutOfMemory.
void bsplineGradient(FieldView<const float> perVoxel, ControlPointsView<float> sums,
                     const ExecContext& ctx);

/// Floats that bsplineGradient() needs: the sums of each plane of voxels over x and y.
std::size_t bsplineGradientScratch(const ControlGrid& grid);

/// The field's kernel; compute/lab/kernels/bspline.h has others to compare it with.
inline constexpr KernelVariant bsplineColumns{
    "columns",
    "A warp marches along z: four products a voxel, four points a tile.",
    128,
    {32, 768}};
inline constexpr KernelFamily bsplineKernel{"bspline", {&bsplineColumns, 1}};

/// Voxels along an axis of a tile that the kernels take: their tables lie in constant memory.
inline constexpr int maxVoxelsOfTileOnDevice = 64;

/// bsplineField() with all arrays on the device, on its compute stream; waits where ctx has a
/// profile. Throws like bsplineField(), and for a larger tile than maxVoxelsOfTileOnDevice. In
/// builds with CUDA (cudaIsBuilt).
void bsplineFieldOnDevice(ControlPointsView<const float> points, FieldView<float> field,
                          const ExecContext& ctx);

/// bsplineGradient() with all arrays on the device; the same bits in every run. Takes
/// bsplineGradientScratchOnDevice() floats from the device pool and waits.
void bsplineGradientOnDevice(FieldView<const float> perVoxel, ControlPointsView<float> sums,
                             const ExecContext& ctx);
std::size_t bsplineGradientScratchOnDevice(const ControlGrid& grid);

} // namespace systole
