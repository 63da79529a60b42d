// Voxels by groups, as segments are: the order in which sums over them are made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace systole::cardiac {

/// Voxels of a group, in their own order, in chunks that are summed one by one and then in order:
/// the same sums for any number of threads.
struct GroupedVoxels {
    struct Chunk {
        std::int32_t begin = 0, end = 0; ///< range in `voxel`
        std::int32_t group = 0;
    };
    static constexpr std::int32_t chunkSize = 256;

    std::vector<std::int32_t> voxel;
    std::vector<Chunk> chunks; ///< chunks in the order of their groups

    /// `group` of every voxel: 0 to `groups` − 1.
    static GroupedVoxels of(std::span<const int> group, int groups);
};

} // namespace systole::cardiac
