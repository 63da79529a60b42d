#include "compute/measures/t_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace systole {

double twoSidedProbability(double t, int degrees) {
    const double angle = std::atan(std::abs(t) / std::sqrt(degrees));
    const double sine = std::sin(angle), cosine = std::cos(angle);
    const bool odd = degrees % 2 != 0;
    // The terms of the sum over powers of the cosine, from cos (odd) or 1 (even) upwards.
    double term = odd ? cosine : 1, sum = 0;
    for (int power = odd ? 1 : 0; power <= degrees - 2; power += 2) {
        sum += term;
        term *= cosine * cosine * (power + 1) / (power + 2);
    }
    const double within = odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
    return std::clamp(1 - within, 0.0, 1.0);
}

TTest tTestAgainstZero(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    TTest test;
    for (const double value : values)
        test.mean += value / n;
    for (const double value : values)
        test.deviation += (value - test.mean) * (value - test.mean);
    test.deviation = values.size() > 1 ? std::sqrt(test.deviation / (n - 1)) : 0;
    if (!(test.deviation > 0)) {
        test.t = test.p = std::numeric_limits<double>::quiet_NaN();
        return test;
    }
    test.t = test.mean * std::sqrt(n) / test.deviation;
    test.p = twoSidedProbability(test.t, static_cast<int>(values.size()) - 1);
    return test;
}

} // namespace systole
