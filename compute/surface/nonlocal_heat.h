// The nonlocal heat equation over a band (eq. 16) on the host, and the weights of eq. 15.
#pragma once

#include "compute/surface/nonlocal_means.h"
#include "compute/surface/nonlocal_means_math.h"

namespace systole::nlm {

/// Mean of the finite distances of `elements` lists.
double meanDistance(NeighborView lists, int elements, const ExecContext& ctx);

/// c1 and c2 in mm²: for a mean kept distance, of which c2 is a multiple.
WeightScale weightScale(const NonlocalMeansParameters& parameters, Vec3 spacing,
                        double meanDistance);

/// Puts the weights in place of the distances. Returns the largest sum of an element's.
float weigh(Size3 size, std::span<const int> band, NeighborView lists, const WeightScale& scale,
            const ExecContext& ctx);

/// Iterates over phi's band; lists hold weights. Returns the largest change of an element.
float iterateHeat(VolumeView<float> phi, std::span<const int> band, NeighborView lists,
                  float largestSum, int iterations, const ExecContext& ctx);

} // namespace systole::nlm
