// Trilinear sampling at one position, clamped at the border: the formula shared by the plain loops
// and the CUDA kernels.
#pragma once

#include "compute/core/volume.h"

#include <cstddef>
#include <type_traits>

namespace systole {

/// Position in voxels of a grid.
struct Position {
    float x, y, z;
};

/// Where a field takes the voxel (x, y, z), whose offset is i.
constexpr Position displaced(const FieldView<const float>& field, std::size_t i, int x, int y,
                             int z) {
    return {static_cast<float>(x) + field.u[i], static_cast<float>(y) + field.v[i],
            static_cast<float>(z) + field.w[i]};
}

/// One axis of a position: the voxels below and above it, and how far it lies between them.
struct AxisSample {
    int low, high;
    float part;
};

constexpr AxisSample axisSample(float position, int n) {
    const float last = static_cast<float>(n - 1);
    // A position that is not a number becomes 0 with this order of comparisons.
    const float clamped = position > 0 ? (position < last ? position : last) : 0.0f;
    // The lower voxel stays one below the last, so that its upper neighbor exists.
    const int highestLow = n > 1 ? n - 2 : 0;
    const int floor = static_cast<int>(clamped);
    const int low = floor < highestLow ? floor : highestLow;
    return {low, low + 1 < n ? low + 1 : n - 1, clamped - static_cast<float>(low)};
}

/// How far a position lies outside the grid along its axis, in voxels; negative inside. An axis of
/// one voxel has no outside.
constexpr float distanceOutside(float position, int n) {
    const float last = static_cast<float>(n - 1);
    const float ahead = position - last;
    return n == 1 ? -1.0f : -position > ahead ? -position : ahead;
}

/// Half the width of the border over which insideWeight fades, in voxels.
inline constexpr float borderFade = 0.25f;

/// 1 inside the grid and 0 outside, fading across the border: what happens there must not depend
/// on how a position was rounded.
constexpr float insideWeight(float x, float y, float z, Size3 size) {
    const float dx = distanceOutside(x, size.x), dy = distanceOutside(y, size.y),
                dz = distanceOutside(z, size.z);
    const float farthest = dx > dy ? (dx > dz ? dx : dz) : (dy > dz ? dy : dz);
    const float weight = 0.5f - farthest * (0.5f / borderFade);
    return weight > 0 ? (weight < 1 ? weight : 1.0f) : 0.0f;
}

constexpr float insideWeight(Position p, Size3 size) { return insideWeight(p.x, p.y, p.z, size); }

/// The eight voxels around a position as offsets, which apply to all volumes of one grid.
struct TrilinearSample {
    std::size_t offset;                 ///< offset of the lowest voxel
    std::size_t alongX, alongY, alongZ; ///< strides to its upper neighbors; 0 if there is none
    float partX, partY, partZ;

    constexpr TrilinearSample(Size3 size, Position p) : TrilinearSample(size, p.x, p.y, p.z) {}
    constexpr TrilinearSample(Size3 size, float x, float y, float z) {
        const AxisSample ax = axisSample(x, size.x), ay = axisSample(y, size.y),
                         az = axisSample(z, size.z);
        const auto nx = static_cast<std::size_t>(size.x), ny = static_cast<std::size_t>(size.y);
        offset = static_cast<std::size_t>(ax.low) +
                 nx * (static_cast<std::size_t>(ay.low) + ny * static_cast<std::size_t>(az.low));
        alongX = ax.high > ax.low ? 1 : 0;
        alongY = ay.high > ay.low ? nx : 0;
        alongZ = az.high > az.low ? nx * ny : 0;
        partX = ax.part;
        partY = ay.part;
        partZ = az.part;
    }

    constexpr float of(const float* voxels) const {
        return of([=](std::size_t i) { return voxels[i]; });
    }
    /// `read(offset)` gives a voxel's value.
    template <typename Read>
    requires(!std::is_pointer_v<Read>) constexpr float of(const Read& read) const {
        const auto mix = [](float a, float b, float t) { return a + t * (b - a); };
        const auto row = [&](std::size_t i) { return mix(read(i), read(i + alongX), partX); };
        const auto plane = [&](std::size_t i) { return mix(row(i), row(i + alongY), partY); };
        return mix(plane(offset), plane(offset + alongZ), partZ);
    }
};

} // namespace systole
