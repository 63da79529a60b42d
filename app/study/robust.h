// Robust statistics of a few figures, and the agreement of two ways to measure.
#pragma once

#include <span>
#include <vector>

namespace systole {

/// NaN for no value.
double medianOf(std::vector<double> values);

struct RobustScale {
    double median = 0;
    /// 1.4826 times the median distance from the median: for normal values their standard
    /// deviation.
    double deviation = 0;
};
RobustScale robustScale(std::span<const double> values);

/// Distances from the median beyond this many deviations are outliers: Iglewicz & Hoaglin, How to
/// Detect and Handle Outliers (1993).
inline constexpr double outlierDeviations = 3.5;
/// Fewer cases than this have no outliers: too few to tell which is the odd one.
inline constexpr std::size_t fewestForOutliers = 5;

/// Bland & Altman, Lancet 327 (1986) 307: differences of two ways to measure over their mean.
struct Agreement {
    std::vector<double> means, differences;
    double bias = 0;      ///< mean difference
    double deviation = 0; ///< standard deviation of the differences
    double low() const { return bias - 1.96 * deviation; }
    double high() const { return bias + 1.96 * deviation; }
};
Agreement agreementOf(std::span<const double> measured, std::span<const double> reference);

} // namespace systole
