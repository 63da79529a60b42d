// A voxel of a grid by its three indices, and where it lies in the grid's memory.
#pragma once

#include "compute/core/geometry.h"

namespace systole {

struct Voxel {
    int x, y, z;
    bool operator==(const Voxel&) const = default;
    constexpr int operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
    constexpr Voxel moved(int axis, int by) const {
        Voxel v = *this;
        (axis == 0 ? v.x : axis == 1 ? v.y : v.z) += by;
        return v;
    }
};

constexpr Voxel operator+(Voxel a, Voxel b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

constexpr bool liesIn(Size3 size, Voxel p) {
    return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < size.x && p.y < size.y && p.z < size.z;
}

/// The index nearest to i among 0 … n − 1: beyond the border the voxel at it is repeated.
constexpr int clampedIndex(int i, int n) {
    const int atLeastZero = i > 0 ? i : 0;
    return atLeastZero < n - 1 ? atLeastZero : n - 1;
}

} // namespace systole
