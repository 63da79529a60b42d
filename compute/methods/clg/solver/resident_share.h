// How a cluster of blocks holds a level in its shared memory (ResidentRelaxation), and whether the
// clusters of a device can.
#pragma once

#include "compute/core/geometry.h"

#include <algorithm>

namespace systole::clg {

/// A block's share of the field: `depth` planes with a rim of one cell on every side, the three
/// components separate. Even and odd x of a row are separate too, so that adjacent threads, which
/// have voxels of one color, write adjacent cells, above all into a neighbor's share. Cells beyond
/// the grid are zero; the planes at either end are written by the neighbor.
struct Share {
    Size3 size;
    int depth;

    constexpr int halfRow() const { return (size.x + 3) / 2; }
    constexpr int row() const { return 2 * halfRow(); }
    /// x from −1 to size.x; the result is added to a row's start.
    constexpr int column(int x) const { return ((x + 1) & 1) * halfRow() + (x + 1) / 2; }
    constexpr int plane() const { return row() * (size.y + 2); }
    constexpr int cells() const { return plane() * (depth + 2); }
    /// `volumes`: the field's three components, and the weight on beta.
    constexpr std::size_t bytes(int volumes) const {
        return static_cast<std::size_t>(volumes) * sizeof(float) *
               static_cast<std::size_t>(cells());
    }
    /// A thread has two voxels beside each other.
    constexpr int threads() const { return depth * ((size.x + 1) / 2) * size.y; }
};

/// Limits of a cluster. A device without clusters has a single block with the default shared
/// memory.
struct ClusterLimits {
    int blocks = 1, threads = 1024;     ///< blocks per cluster, threads per block
    std::size_t sharedBytes = 48 << 10; ///< shared memory per block
};

/// Planes of a block's share where a cluster holds a level of this size, otherwise 0. As many
/// blocks as can be, since each has its own multiprocessor.
constexpr int residentDepth(Size3 size, const ClusterLimits& limits) {
    const int blocks = std::min(limits.blocks, size.z);
    const std::size_t room = blocks > 1 ? limits.sharedBytes : ClusterLimits{}.sharedBytes;
    const Share share{size, (size.z + blocks - 1) / blocks};
    return share.threads() <= limits.threads && share.bytes(4) <= room ? share.depth : 0;
}

} // namespace systole::clg
