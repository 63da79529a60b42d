// Student's t test of a mean against zero.
#pragma once

#include <vector>

namespace systole {

/// The test of n values; with fewer than two, or two that are equal, t and p are NaN.
struct TTest {
    double mean = 0;
    double deviation = 0; ///< standard deviation of the values, with n − 1
    double t = 0;         ///< mean · √n / deviation
    double p = 0;         ///< probability of a t at least as far from 0 if the true mean is 0
};
TTest tTestAgainstZero(const std::vector<double>& values);

/// The probability that |t| with so many degrees of freedom is at least |t|. From the closed sums
/// for whole degrees (Abramowitz and Stegun 26.7.3 and 26.7.4).
double twoSidedProbability(double t, int degrees);

} // namespace systole
