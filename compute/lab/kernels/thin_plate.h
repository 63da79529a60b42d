// A thin-plate spline at every voxel of a grid, term by term: what compute/landmarks/far_field.h
// does faster.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/kernel_family.h"
#include "compute/landmarks/thin_plate.h"

namespace systole::lab {

/// positions(p) = f(p) at every voxel p of its grid, for a spline in voxels; single precision.
/// Backend::CpuReference is the plain loop.
void transformGrid(const ThinPlateSpline& spline, FieldView<float> positions,
                   const ExecContext& ctx);

/// Where a kernel reads the coefficients, which are the same for all threads, and how many voxels a
/// thread computes.
inline constexpr KernelVariant transformVariants[] = {
    {"global", "Thin-plate transform: one thread per voxel, coefficients in global memory."},
    {"shared", "Coefficients in shared memory, tile by tile, loaded by all threads."},
    // Limited number of terms per launch. One memory per device: not on two streams at once.
    {"constant", "Coefficients in constant memory, broadcast to a warp."},
    {"global-x2", "Two voxels per thread for each coefficient read."},
    {"global-x4", "Four voxels per thread for each coefficient read."},
    {"row-x4", "Four neighbors of a row per thread: they share the squares of y and z."},
};
inline constexpr KernelFamily transformFamily{"tps", transformVariants};

/// Transforms the grid with positions on the device; waits for them. The variant is one of
/// transformFamily. Defined in builds with CUDA (cudaIsBuilt).
void transformGridOnDevice(int variant, const ThinPlateSpline& spline, FieldView<float> positions,
                           const ExecContext& ctx);

} // namespace systole::lab
