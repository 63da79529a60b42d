// The features of a frame on the device, as kernels write and read them. All pointers are to device
// memory.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/landmarks/sest.h"

namespace systole::gpu {

/// The planes of a frame, one pointer each: as kernel parameters they cost no registers.
struct FeaturePlanes {
    const float* of[sest::features];
    Size3 size;

    explicit FeaturePlanes(const sest::FeatureView& frame) : size(frame.size) {
        for (int f = 0; f < sest::features; ++f)
            of[f] = frame.data + static_cast<std::size_t>(f) * size.voxels();
    }
    constexpr float operator()(int f, unsigned voxel) const { return of[f][voxel]; }
};

/// sest::findFeatures() on the device.
void sestFeatures(VolumeView<const float> frame, float* planes, LaunchLog& log);

} // namespace systole::gpu
