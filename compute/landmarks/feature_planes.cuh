// The features of a frame as kernels read them.
#pragma once

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

} // namespace systole::gpu
