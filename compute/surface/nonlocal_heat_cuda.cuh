// The nonlocal heat equation on the device: nonlocal_heat.h. All pointers are to device memory.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/nonlocal_means_math.h"

#include <span>

namespace systole::gpu {

/// Sums and extremes that a round finds; zero before the round.
struct HeatSums {
    double distance, count; ///< sum of the finite distances and their number
    unsigned largestSum;    ///< bits of the largest sum of weights
    unsigned largestChange; ///< bits of the largest change of an element
};

/// Adds the distances of all lists in `sums`; partial: room for meanBlocks pairs.
inline constexpr int meanBlocks = 264;
void sumDistances(NeighborView lists, int elements, double2* partial, HeatSums* sums,
                  LaunchLog& log);
/// Puts weights in place of distances.
void weigh(Size3 size, std::span<const int> band, NeighborView lists, const nlm::WeightScale& scale,
           HeatSums* sums, LaunchLog& log);
/// values: room for two numbers an element.
void iterateHeat(VolumeView<float> phi, std::span<const int> band, NeighborView lists,
                 int iterations, float* values, HeatSums* sums, LaunchLog& log);

} // namespace systole::gpu
