// Timing of the benchmarks.
#pragma once

#include "compute/core/elapsed.h"
#include "compute/core/median.h"

#include <chrono>
#include <vector>

namespace systole {

using BenchClock = std::chrono::steady_clock;

/// Runs `once` (which returns seconds) up to `repeats` times, but no longer than `budgetSeconds`
/// unless the first run alone takes that; the median.
template <typename Once>
double medianWithin(int repeats, double budgetSeconds, const Once& once) {
    std::vector<double> seconds;
    const BenchClock::time_point begin = BenchClock::now();
    for (int n = 0; n < repeats && (n == 0 || secondsSince(begin) < budgetSeconds); ++n)
        seconds.push_back(once());
    return median(std::move(seconds));
}

} // namespace systole
