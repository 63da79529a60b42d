// The figures of `systole bench accuracy` against a record of earlier ones.
#pragma once

#include "app/bench/benchmark.h"

#include <string>
#include <vector>

namespace systole {

/// Prints the ratio of every figure that `now` and `before` both have, records of the benchmark; of
/// phantoms over the seeds that both have. Returns a sentence for each figure that got worse by
/// more than `tolerance`: errors, noise and folds by that part of them and by more than rounding
/// (0.002 voxel, 0.002 mm, 0.01 %); the amplitude's distance from 1 and Dice by that much. Seconds
/// are printed alone. Throws UsageError for a file that is no such record, was made with another
/// side, or has nothing in common.
std::vector<std::string> worseThanBefore(const Json& now, const Json& before, double tolerance);

inline constexpr double allowedLoss = 0.03;

} // namespace systole
