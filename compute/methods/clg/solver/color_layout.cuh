// The layout of DeviceColors: [parity of x + y + z][volume][z][y][x / 2], rows padded to whole
// groups with zeros that stay. As ColorSystem on the CPU.
#pragma once

#include "compute/core/geometry.h"

namespace systole::clg {

inline constexpr int colorGroup = 4; ///< rows are multiples of this many voxels

struct ColorLayout {
    Size3 size;
    int stride;
    std::size_t plane; ///< number of values of one parity

    __host__ __device__ int groupsOfRow(int group) const { return stride / group; }
    __host__ __device__ std::size_t row(int y, int z) const {
        return static_cast<std::size_t>(stride) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(size.y) * static_cast<std::size_t>(z));
    }
    /// The row of a system with beta: those of even y come first, so that a color streams whole
    /// parts of a plane.
    __host__ __device__ std::size_t rowOfSystem(int y, int z) const {
        return row((y & 1) * ((size.y + 1) / 2) + y / 2, z);
    }
};

inline ColorLayout colorLayoutOf(Size3 size) {
    ColorLayout l{size, ((size.x + 1) / 2 + colorGroup - 1) / colorGroup * colorGroup, 0};
    l.plane = static_cast<std::size_t>(l.stride) * static_cast<std::size_t>(size.y) *
              static_cast<std::size_t>(size.z);
    return l;
}

} // namespace systole::clg
