// The weights of a cubic B-spline, and its sum at one voxel as a plain loop: shared by the CPU
// implementations, the CUDA kernels and the tests. With u the position between two control points,
// 0 ≤ u < 1, four control points have weights
//
//     B_0 = (1 − u)³/6,  B_1 = (3u³ − 6u² + 4)/6,  B_2 = (−3u³ + 3u² + 3u + 1)/6,  B_3 = u³/6.
//
// The voxels of a tile share their control points and the weights of each axis depend only on the
// voxel's place in the tile: a table of 4 · tile numbers per axis holds them all.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/unroll.h"

namespace systole::bspline {

template <typename T>
struct Weights {
    T of[4];
};

template <typename T>
constexpr Weights<T> weightsAt(T u) {
    const T v = 1 - u, sixth = T(1) / 6;
    return {{v * v * v * sixth, ((3 * u - 6) * u * u + 4) * sixth,
             (((3 - 3 * u) * u + 3) * u + 1) * sixth, u * u * u * sixth}};
}

/// Weights of the voxel with this place in its tile, rounded once.
constexpr Weights<float> weightsOfVoxel(int place, const ControlAxis& axis) {
    const Weights<double> exact = weightsAt(axis.partOfTile(place));
    return {{static_cast<float>(exact.of[0]), static_cast<float>(exact.of[1]),
             static_cast<float>(exact.of[2]), static_cast<float>(exact.of[3])}};
}

/// Four B-spline weights as three linear interpolations (Ruijters et al., J. Graphics Tools 13(4),
/// 2008): between points 0 and 1 at `low`, between 2 and 3 at `high`, and between the two results
/// at `between`.
template <typename T>
struct Mixes {
    T low, high, between;
};

template <typename T>
constexpr Mixes<T> mixesOf(const Weights<T>& w) {
    const T upper = w.of[2] + w.of[3];
    return {w.of[1] / (w.of[0] + w.of[1]), w.of[3] / upper, upper};
}

constexpr Mixes<float> mixesOfVoxel(int place, const ControlAxis& axis) {
    const Mixes<double> exact = mixesOf(weightsAt(axis.partOfTile(place)));
    return {static_cast<float>(exact.low), static_cast<float>(exact.high),
            static_cast<float>(exact.between)};
}

/// One component at a voxel: Σ over 64 control points, the lowest at `offset` of `points`, with
/// strides of a row and a plane of control points.
template <typename T>
constexpr T sumAt(const T* points, std::size_t offset, std::size_t row, std::size_t plane,
                  const Weights<T>& x, const Weights<T>& y, const Weights<T>& z) {
    T sum = 0;
    for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t m = 0; m < 4; ++m) {
            const T* const line = points + offset + m * row + n * plane;
            const T weight = y.of[m] * z.of[n];
            SYSTOLE_UNROLL
            for (std::size_t l = 0; l < 4; ++l)
                sum += weight * x.of[l] * line[l];
        }
    return sum;
}

} // namespace systole::bspline
