// Quantiles of a volume in device memory: the CUDA implementation of quantiles() in
// compute/ops/reduce.h, with the same values.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/ops/quantile_math.h"

namespace systole::gpu {

/// Device memory of a search for two quantiles at once. Zero before the first search; every search
/// leaves its counts zero.
struct QuantileSearch {
    unsigned counts[2][quantile::cells];
    unsigned found[2]; ///< the digits found so far of both keys
    unsigned rank[2];  ///< rank among the values that begin with these digits
    unsigned arrived;  ///< blocks
    unsigned least, most;
};

struct QuantilePair {
    float low, high;
};

/// The quantiles of two parts (0–1) of `count` > 0 values without NaN, by the same sample as on the
/// host. Waits for the device.
QuantilePair quantilesOf(const float* values, std::size_t count, double low, double high,
                         QuantileSearch* search, LaunchLog& log);
/// The least and the greatest of all `count` > 0 values. Waits for the device.
QuantilePair extremesOf(const float* values, std::size_t count, QuantileSearch* search,
                        LaunchLog& log);

} // namespace systole::gpu
