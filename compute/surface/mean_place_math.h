// The formulas of mean_place.h per voxel, shared by the plain loop and the CUDA kernels.
#pragma once

#include "compute/surface/mean_place.h"
#include "compute/surface/nonlocal_means.h"

namespace systole::meanplace {

struct Scale {
    float tau, delta; ///< mm

    Scale(const MeanPlaceParameters& parameters, Vec3 spacing) {
        const auto side = static_cast<float>(nlm::meanVoxelSide(spacing));
        tau = static_cast<float>(parameters.tau) * side;
        delta = static_cast<float>(parameters.delta) * side;
    }
};

constexpr float magnitude(float value) { return value < 0 ? -value : value; }

/// w, of a voxel's distance after denoising.
constexpr float weight(const Scale& scale, float after) {
    const float w = 1 - magnitude(after) / scale.tau;
    return w > 0 ? w : 0.0f;
}

/// The term that is added to the denoised distance, computed from the smoothed shift and weight.
constexpr float given(const Scale& scale, float after, float shift, float weight) {
    constexpr float minWeight = 1e-6f; // a lower weight is too far from all surfaces
    return magnitude(after) <= scale.delta && weight > minWeight ? shift / weight : 0.0f;
}

} // namespace systole::meanplace
