// Of several measurements the middle one, or another part of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace systole {

/// The value below which the part `fraction` of them lies; NaN of none.
inline double percentile(std::vector<double> values, double fraction) {
    if (values.empty())
        return NAN;
    const auto rank =
        static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[static_cast<std::size_t>(rank)];
}

/// Of an even number of values the greater of the two in the middle.
inline double median(std::vector<double> values) { return percentile(std::move(values), 0.5); }

} // namespace systole
