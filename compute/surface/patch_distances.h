// Vector loops of the CPU's search, dispatched at run time to the processor's instruction set.
#pragma once

#include "compute/surface/patch_leaves.h"

namespace systole::nlm {

inline constexpr int queriesAtOnce = 4;

/// Sets distance[q · leafSize + i] to D of query q, whose patch has number n at
/// query[q][n · leafSize], and patch i of a leaf.
void patchDistances(const float* const (&query)[queriesAtOnce], const float* leaf, int numbers,
                    float* distance);

/// Bit i: the squared distance of the features of a query, feature k at query[k · leafSize], and
/// those of place i of a leaf is at most `limit`.
std::uint32_t featuresWithin(const float* query, const float* leaf, float limit);

/// Bit i: place i of a leaf is at most `window` voxels from a query along each axis; voxel indices
/// as PatchLeaves has them.
std::uint32_t voxelsWithin(const int* query, const int* leaf, int window);

/// boxDistance() of a leaf from each of all.
void boxDistances(const PatchLeaves& all, int own, int window, float* distance);

} // namespace systole::nlm
