// Gray values where nothing was recorded: formulas per voxel for CPU and CUDA (fill_unknown.h).
#pragma once

#include "compute/core/volume.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace systole::fill {

/// Layers of voxels that are filled one after the other from their neighbors; what lies farther
/// away is filled by blocks.
inline constexpr int layers = 2;

/// A block without any known voxel. Frames that are compared have no value like it.
inline constexpr float nothing = std::numeric_limits<float>::infinity();

/// The mean of the known ones among a voxel's 26 neighbors, or `nothing`.
constexpr float meanOfNeighbors(VolumeView<const std::uint8_t> known, VolumeView<const float> frame,
                                int x, int y, int z) {
    float sum = 0;
    int count = 0;
    for (int k = z > 0 ? z - 1 : 0; k <= z + 1 && k < frame.size.z; ++k)
        for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < frame.size.y; ++j)
            for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < frame.size.x; ++i)
                if (known(i, j, k)) {
                    sum += frame(i, j, k);
                    ++count;
                }
    return count > 0 ? sum / static_cast<float>(count) : nothing;
}

/// Cubes of 2, 4, 8 … voxels, level 1 first, down to one block that holds the whole frame.
struct Blocks {
    static constexpr int maxLevels = 32;

    int levels = 0;
    Size3 size[maxLevels];          ///< size of a level in blocks
    std::size_t begin[maxLevels]{}; ///< beginning of a level's values
    std::size_t total = 0;          ///< values of all levels

    constexpr explicit Blocks(Size3 frame) {
        const auto half = [](int n) { return (n + 1) / 2; };
        for (Size3 s = frame; levels == 0 || s.voxels() > 1;) {
            s = {half(s.x), half(s.y), half(s.z)};
            size[levels] = s;
            begin[levels++] = total;
            total += s.voxels();
        }
    }

    template <typename T>
    constexpr VolumeView<T> view(T* values, int level) const {
        return {values + begin[level], size[level]};
    }
};

/// Calls at(x, y, z) for the children of a block in a finer grid.
template <typename At>
constexpr void overChildren(Size3 finer, int x, int y, int z, const At& at) {
    for (int k = 2 * z; k < 2 * z + 2 && k < finer.z; ++k)
        for (int j = 2 * y; j < 2 * y + 2 && j < finer.y; ++j)
            for (int i = 2 * x; i < 2 * x + 2 && i < finer.x; ++i)
                at(i, j, k);
}

/// The mean of a block's known voxels, or `nothing`.
constexpr float meanOfVoxels(VolumeView<const std::uint8_t> known, VolumeView<const float> frame,
                             int x, int y, int z) {
    float sum = 0;
    int count = 0;
    overChildren(frame.size, x, y, z, [&](int i, int j, int k) {
        if (known(i, j, k)) {
            sum += frame(i, j, k);
            ++count;
        }
    });
    return count > 0 ? sum / static_cast<float>(count) : nothing;
}

/// The mean of those of a block's children that have a value, or `nothing`.
constexpr float meanOfBlocks(VolumeView<const float> finer, int x, int y, int z) {
    float sum = 0;
    int count = 0;
    overChildren(finer.size, x, y, z, [&](int i, int j, int k) {
        if (finer(i, j, k) != nothing) {
            sum += finer(i, j, k);
            ++count;
        }
    });
    return count > 0 ? sum / static_cast<float>(count) : nothing;
}

/// The value of the smallest block around a voxel that has one.
constexpr float valueOfBlocks(const Blocks& blocks, const float* values, int x, int y, int z) {
    for (int level = 0; level < blocks.levels; ++level) {
        x /= 2, y /= 2, z /= 2;
        if (const float value = blocks.view(values, level)(x, y, z); value != nothing)
            return value;
    }
    return 0;
}

} // namespace systole::fill
