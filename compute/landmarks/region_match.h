// The best candidate of a searched region of SEST distances.
#pragma once

#include "compute/core/volume.h"
#include "compute/core/voxel.h"

#include <cstddef>

namespace systole::sest {

/// How far from the winner another candidate must lie, along some axis, to be another place.
inline constexpr int elsewhere = 2;

struct RegionMatch {
    bool found = false;  ///< false: no candidate has a finite distance
    bool atEdge = false; ///< places beyond the region, within the frame, may fit better
    Voxel offset{};      ///< of the winner from the region's center; among equals the first
    /// The same with the vertex of a parabola through the squared distances of the winner and its
    /// neighbors, for each axis that has both.
    Vec3 subVoxel;
    float squared = 0; ///< squared distance of the winner
    float ratio = 0;   ///< its distance to that of the best elsewhere; 0 if there is none
};

/// `squared`: squared distances by offset + radius, infinite outside the frame of `frame` voxels;
/// the region lies around `center`.
RegionMatch bestOfRegion(VolumeView<const float> squared, Voxel center, Size3 frame);

} // namespace systole::sest
