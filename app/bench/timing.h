// How the benchmarks take times.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

namespace systole {

using BenchClock = std::chrono::steady_clock;

inline double secondsSince(BenchClock::time_point begin) {
    return std::chrono::duration<double>(BenchClock::now() - begin).count();
}

/// The value below which the part `fraction` of them lies; NaN of none.
inline double percentile(std::vector<double> values, double fraction) {
    if (values.empty())
        return NAN;
    const auto rank =
        static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[static_cast<std::size_t>(rank)];
}

inline double median(std::vector<double> values) { return percentile(std::move(values), 0.5); }

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
