// The work of band_work.h per voxel, shared by the plain loop and the CUDA kernels.
#pragma once

#include "compute/core/volume.h"
#include "compute/surface/nonlocal_means_math.h"

namespace systole::lab {

inline constexpr int restRadius = 2;

/// The last of the patch's features.
constexpr float restOfPatch(VolumeView<const float> phi, Voxel p) {
    float f[nlm::features] = {};
    nlm::featuresOf(
        restRadius, [&](int n) { return phi.data[nlm::patchOffset(phi.size, p, restRadius, n)]; },
        f);
    return f[nlm::features - 1];
}

} // namespace systole::lab
