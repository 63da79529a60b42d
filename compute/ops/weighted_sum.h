// Weighted sums of arrays of one length, for fields that lie on one grid.
#pragma once

#include "compute/core/exec.h"

#include <span>

namespace systole {

struct Summand {
    std::span<const float> values;
    float weight = 0;
};

/// Summands of one sum at most.
inline constexpr std::size_t maxSummands = 32;

/// out = Σ weight · values, each product and each sum rounded to single precision, in the order
/// given: the same bits in all implementations. `out` must not be a summand. Throws ComputeError
/// for more than maxSummands and for other lengths than that of `out`.
void weightedSum(std::span<const Summand> summands, std::span<float> out, const ExecContext& ctx);

/// Overload with all values on the device of ctx.cuda; enqueued on its Compute stream. Waits only
/// to time the stage "trajectory" for ctx.profile. Defined in builds with CUDA (cudaIsBuilt).
void weightedSumOnDevice(std::span<const Summand> summands, std::span<float> out,
                         const ExecContext& ctx);

/// Throws what weightedSum() throws for wrong arguments.
void checkWeightedSum(std::span<const Summand> summands, std::span<const float> out);

} // namespace systole
