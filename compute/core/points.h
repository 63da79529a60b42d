// Positions in double precision, from the indices of voxels and from single precision.
#pragma once

#include "compute/core/geometry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace systole {

/// A voxel's center in index coordinates.
constexpr Vec3 voxelPoint(int x, int y, int z) {
    return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
}

/// A voxel's center in LPS mm.
inline Vec3 centerOfVoxel(const Geometry& grid, int x, int y, int z) {
    return grid.indexToPhysical(voxelPoint(x, y, z));
}

inline Vec3 widened(const std::array<float, 3>& p) { return {p[0], p[1], p[2]}; }
inline std::array<float, 3> narrowed(Vec3 v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

inline bool isFinite(Vec3 p) {
    return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

inline Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// The box around points along the axes; without any, low exceeds high.
struct Bounds {
    static constexpr double most = std::numeric_limits<double>::max();
    Vec3 low{most, most, most}, high{-most, -most, -most};

    void add(Vec3 p) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
};

/// Whether a position in voxels lies in a grid, half a voxel beyond its outermost centers included;
/// false for what isn't a number.
inline bool isInside(Vec3 index, Size3 size) {
    for (int axis = 0; axis < 3; ++axis)
        if (!(index[axis] >= -0.5 && index[axis] <= size[axis] - 0.5))
            return false;
    return true;
}

} // namespace systole
