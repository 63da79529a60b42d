// The nonlocal heat equation on the device: nonlocal_heat.h. All pointers are to device memory.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/nonlocal_means_math.h"

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
void weigh(Size3 size, const BandNeighbors& of, const nlm::WeightScale& scale, HeatSums* sums,
           LaunchLog& log);
/// Memory of an iteration.
struct HeatRoom {
    float* values; ///< two numbers per element
    HeatSums* sums;
};
void iterateHeat(VolumeView<float> phi, const BandNeighbors& of, int iterations,
                 const HeatRoom& room, LaunchLog& log);

} // namespace systole::gpu
