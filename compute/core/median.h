// Percentiles and median of measurements.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace systole {

/// The value at rank `fraction` (0–1) of the sorted values; NaN without values.
inline double percentile(std::vector<double> values, double fraction) {
    if (values.empty())
        return NAN;
    const auto rank =
        static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[static_cast<std::size_t>(rank)];
}

/// The median; the greater of the two middle values if their number is even.
inline double median(std::vector<double> values) { return percentile(std::move(values), 0.5); }

} // namespace systole
