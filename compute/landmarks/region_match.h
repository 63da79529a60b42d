// The best candidate of a searched region of SEST distances.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/core/voxel.h"

#include <limits>

namespace systole::sest {

/// How far from the winner another candidate must lie, along some axis, to be another place.
inline constexpr int elsewhere = 2;

struct RegionMatch {
    bool found = false;  ///< false: no candidate has a finite distance
    bool atEdge = false; ///< places beyond the region, within the frame, may fit better
    Voxel offset{};      ///< offset from the region's center to the winner; among equals the first
    /// `offset` refined by the vertex of a parabola through the squared distances of the winner and
    /// its neighbors, for each axis that has both.
    Vec3 subVoxel;
    float squared = 0; ///< squared distance of the winner
    float ratio = 0;   ///< its distance to that of the best elsewhere; 0 if there is none
};

/// Data of a match: the smallest squared distance, the smallest elsewhere, and the two next to the
/// winner along each axis.
struct RegionMinimum {
    static constexpr float none = std::numeric_limits<float>::infinity();
    Voxel winner{}; ///< place in the region; among equals the first, x fastest
    float least = none;
    float second = none;               ///< `elsewhere` voxels or more from the winner
    float before[3]{none, none, none}; ///< neighbor by axis, infinity at the region's edge
    float after[3]{none, none, none};
};

/// Distances that aren't numbers don't count.
RegionMinimum minimumOf(VolumeView<const float> squared);
/// Match in a region of `size` places around `center`.
RegionMatch matchOf(const RegionMinimum& minimum, Size3 size, Voxel center, Size3 frame);

/// The minima of `count` regions of `size` places each, one behind the other; both arrays on the
/// device, on its compute stream. Equal to minimumOf() bit by bit. Defined in builds with CUDA
/// (cudaIsBuilt).
void findMinimaOnDevice(const float* squared, Size3 size, int count, RegionMinimum* minima,
                        const ExecContext& ctx);

/// `squared`: squared distances by offset + radius, infinite outside the frame of `frame` voxels;
/// the region lies around `center`.
RegionMatch bestOfRegion(VolumeView<const float> squared, Voxel center, Size3 frame);

} // namespace systole::sest
