// The benchmark `pairs` of two programs, an earlier one and this, in the same run on one machine.
#pragma once

#include "bench/benchmark.h"

#include <string>
#include <vector>

namespace systole {

/// A figure of the benchmark for a side, of either program.
struct PairsFigure {
    std::string side, name;     ///< "128", "solve"
    double before = 0, now = 0; ///< medians over the runs; seconds, or an error in voxels

    double ratio() const { return now / before; } ///< less than 1: better
};

/// The figures that every record of both has; a pair of a stream is a figure in seconds, too.
std::vector<PairsFigure> pairsFigures(const std::vector<Json>& before,
                                      const std::vector<Json>& now);

/// Runs both programs in turn, options.repeats times each, and prints and records the ratios; a
/// figure that is worse by more than allowedLoss becomes a sentence in record["worse"]. Throws
/// ComputeError when a program fails.
void comparePairs(const std::string& program, const BenchOptions& options, const ExecContext& ctx,
                  Json& record);

} // namespace systole
