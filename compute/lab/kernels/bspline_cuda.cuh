// The variants of the B-spline field on the device. All pointers are to device memory; sizes are
// those that compute/ops/bspline_field_check.h accepts.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/texture.cuh"
#include "compute/lab/kernels/bspline.h"
#include "compute/lab/kernels/variant_texture.cuh"
#include "compute/ops/bspline_device.cuh"

namespace systole::lab {

/// Filtered: a DeviceTexture of size (x, y, 3 z) of the three components behind one another;
/// Linear: a LinearTexture of them.
gpu::TextureUse textureOfBspline(int variant);

/// Runs a variant of bsplineFamily; `texture` contains the points, 0 if the variant needs none.
void bsplineField(LaunchLog& log, int variant, ControlPointsView<const float> points,
                  cudaTextureObject_t texture, FieldView<float> field);

std::vector<CompiledCost> compiledBsplineCosts();

// One function per variant, in the files bspline_voxel_cuda.cu and bspline_tile_cuda.cu.
void launchGlobal(const bspline::FieldLaunch& f, LaunchLog& log);
void launchTexture1d(const bspline::FieldLaunch& f, LaunchLog& log);
void launchTextureFilter(const bspline::FieldLaunch& f, LaunchLog& log);
void launchThreadPerVoxel(const bspline::FieldLaunch& f, LaunchLog& log);
void launchThreadPerTile(const bspline::FieldLaunch& f, LaunchLog& log);
void launchThreadPerTileLerp(const bspline::FieldLaunch& f, LaunchLog& log);

// Costs that tools/sass_counts.py compares with the machine code: of a voxel, or of a thread.
extern const KernelCost globalVoxel, texture1dVoxel, textureFilterVoxel, sharedVoxel, tileVoxel,
    tileLerpVoxel;

} // namespace systole::lab
