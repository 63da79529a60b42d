// Trilinear sampling of a volume that the texture units read (compute/cuda/texture.cuh), at one
// position, clamped at the border: in code from eight fetched voxels, or in hardware.
#pragma once

#include "compute/ops/sample_cubic.h"

namespace systole::gpu {

/// The hardware's value at a position in voxels (texture coordinates of voxel centers end in .5):
/// interpolated if the texture was made with `filter`, else the voxel there.
__device__ inline float textureAt(cudaTextureObject_t texture, float x, float y, float z) {
    return tex3D<float>(texture, x + 0.5f, y + 0.5f, z + 0.5f);
}

/// Equals TrilinearSample, from point fetches.
__device__ inline float fetchedSample(cudaTextureObject_t texture, Size3 size, float x, float y,
                                      float z) {
    const AxisSample ax = axisSample(x, size.x), ay = axisSample(y, size.y),
                     az = axisSample(z, size.z);
    const auto texel = [&](int i, int j, int k) {
        return textureAt(texture, static_cast<float>(i), static_cast<float>(j),
                         static_cast<float>(k));
    };
    const auto mix = [](float a, float b, float t) { return a + t * (b - a); };
    const auto row = [&](int j, int k) {
        return mix(texel(ax.low, j, k), texel(ax.high, j, k), ax.part);
    };
    const auto plane = [&](int k) { return mix(row(ay.low, k), row(ay.high, k), ay.part); };
    return mix(plane(az.low), plane(az.high), az.part);
}

/// Equals cubicSample(), from point fetches.
__device__ inline float fetchedCubicSample(cudaTextureObject_t texture, Size3 size, float x,
                                           float y, float z) {
    return cubicSample(size, x, y, z, [&](int i, int j, int k) {
        return textureAt(texture, static_cast<float>(i), static_cast<float>(j),
                         static_cast<float>(k));
    });
}

} // namespace systole::gpu
