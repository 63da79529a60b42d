// Voxels without data in both frames: formulas per voxel for CPU and CUDA.
#pragma once

#include "compute/core/neighbors.h"
#include "compute/core/volume.h"
#include "compute/ops/decimation.h"

#include <cstdint>

namespace systole::still {

// State of a voxel in each frame: empty if it and its six neighbors have the frame's lowest value.
inline constexpr std::uint8_t emptyInFixed = 1, emptyInMoving = 2, emptyInBoth = 3;

/// The region is still if at most this share of its edge has changed. Measured: 0.000 for sectors
/// of a probe; 0.5 to 3.7 where tissue moves against an empty background.
inline constexpr double maxChangedEdge = 0.1;

/// Central differences of a voxel reach one voxel far, and a voxel next to an empty one has the
/// lowest value itself: two steps from an empty voxel its gradient begins to be data.
inline constexpr int reachOfEmpty = 2;

constexpr bool isEmpty(VolumeView<const float> frame, float lowest, int x, int y, int z) {
    bool empty = frame(x, y, z) == lowest;
    if (empty)
        overFaces(frame.size, x, y, z,
                  [&](int i, int j, int k) { empty = empty && frame(i, j, k) == lowest; });
    return empty;
}

/// Whether a voxel that is empty in both frames has a neighbor that isn't.
constexpr bool isEdgeOfEmpty(VolumeView<const std::uint8_t> kinds, int x, int y, int z) {
    bool edge = false;
    if (kinds(x, y, z) == emptyInBoth)
        overFaces(kinds.size, x, y, z,
                  [&](int i, int j, int k) { edge = edge || kinds(i, j, k) != emptyInBoth; });
    return edge;
}

/// Whether a voxel's value was recorded: one next to a voxel that is empty in both frames has the
/// lowest value itself, and is part of the surroundings.
constexpr bool isRecorded(VolumeView<const std::uint8_t> kinds, int x, int y, int z) {
    bool recorded = kinds(x, y, z) != emptyInBoth;
    if (recorded)
        overFaces(kinds.size, x, y, z, [&](int i, int j, int k) {
            recorded = recorded && kinds(i, j, k) != emptyInBoth;
        });
    return recorded;
}

/// The voxels of an axis nearest to a voxel of a level decimated by `factor`: one or two.
struct NearestVoxels {
    int first, last;

    constexpr NearestVoxels(int voxels, int factor, int at)
        : first(factor * at + decimationShiftInHalves(voxels, factor) / 2)
        , last(first + decimationShiftInHalves(voxels, factor) % 2) {}
};

/// Whether a voxel counts, for frames decimated by `factor`: unless all that are nearest to it are
/// empty. One whose neighbor was recorded does: its central difference sees the neighbor.
constexpr bool counts(VolumeView<const std::uint8_t> kinds, const int (&factor)[3], int x, int y,
                      int z) {
    const NearestVoxels alongX(kinds.size.x, factor[0], x), alongY(kinds.size.y, factor[1], y),
        alongZ(kinds.size.z, factor[2], z);
    bool any = false;
    for (int k = alongZ.first; k <= alongZ.last; ++k)
        for (int j = alongY.first; j <= alongY.last; ++j)
            for (int i = alongX.first; i <= alongX.last; ++i)
                any = any || kinds(i, j, k) != emptyInBoth;
    return any;
}

/// Whether a voxel's gradient is data: none within reachOfEmpty steps is empty in both frames.
constexpr bool countsBesideEmpty(VolumeView<const std::uint8_t> kinds, int x, int y, int z) {
    constexpr int r = reachOfEmpty;
    const Size3 size = kinds.size;
    for (int dz = -r; dz <= r; ++dz) {
        const int restZ = r - (dz < 0 ? -dz : dz);
        for (int dy = -restZ; dy <= restZ; ++dy) {
            const int restY = restZ - (dy < 0 ? -dy : dy);
            if (z + dz < 0 || z + dz >= size.z || y + dy < 0 || y + dy >= size.y)
                continue;
            const int first = x > restY ? x - restY : 0;
            const int last = x + restY < size.x ? x + restY : size.x - 1;
            for (int i = first; i <= last; ++i)
                if (kinds(i, y + dy, z + dz) == emptyInBoth)
                    return false;
        }
    }
    return true;
}

constexpr bool isStill(double changed, double edge) {
    return edge > 0 && changed <= maxChangedEdge * edge;
}

} // namespace systole::still
