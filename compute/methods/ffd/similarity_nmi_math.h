// The Parzen window of one voxel: one formula for the plain loops and CUDA.
#pragma once

namespace systole {

/// The cubic B-spline's four weights at t in 0 … 1 past the second of four bins, and their
/// derivatives.
struct ParzenWindow {
    float weight[4];

    constexpr explicit ParzenWindow(float t)
        : weight{(1 - t) * (1 - t) * (1 - t) / 6, (3 * t * t * t - 6 * t * t + 4) / 6,
                 (3 * (1 - t) * (1 - t) * (1 - t) - 6 * (1 - t) * (1 - t) + 4) / 6, t * t * t / 6} {
    }
    static constexpr float derivative(int k, float t) {
        const float s = 1 - t;
        return k == 0   ? -0.5f * s * s
               : k == 1 ? 0.5f * (3 * t * t - 4 * t)
               : k == 2 ? -0.5f * (3 * s * s - 4 * s)
                        : 0.5f * t * t;
    }
};

} // namespace systole
