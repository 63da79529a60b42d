// The figures of `systole bench accuracy` against a record of earlier ones.
#pragma once

#include "bench/benchmark.h"

#include <string>
#include <vector>

namespace systole {

/// Throws UsageError unless `record` is one of the benchmark, of phantoms of this side.
void checkRecord(const Json& record, int side);

/// Compares two records of the benchmark. Prints the ratio of every figure of phantoms, over the
/// seeds that `now` has and on which the program didn't fail before, and of real images the Dice
/// before and now; names what `before` has that this run didn't measure. Returns a sentence for
/// each figure that got worse by more than `tolerance`, or that a program has no longer because it
/// failed: errors, noise and folds by that part of them and by more than rounding (0.002 voxel,
/// 0.002 mm, 0.01 %); the amplitude's distance from 1 and Dice by that much. Seconds are printed
/// alone. Nothing in common is a sentence too.
std::vector<std::string> worseThanBefore(const Json& now, const Json& before, double tolerance);

inline constexpr double allowedLoss = 0.03;

} // namespace systole
