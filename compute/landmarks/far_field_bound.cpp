#include "compute/landmarks/far_field_bound.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace systole {
namespace {

constexpr double minSum = 2.05; ///< nearer to 2 the bound is of no use

/// The coefficient of x^m in (2 − √(1 − x))², m ≥ 2.
double majorant(int m) {
    double c = 0.5; // coefficient of −√(1 − x)
    for (int k = 2; k <= m; ++k)
        c *= (k - 1.5) / k;
    return 4 * c;
}

} // namespace

double interpolationBound(int degree, double s) {
    const double rho = s / 2 + std::sqrt(s * s / 4 - 1);
    const double root = 2 - std::sqrt(1 - 1 / (rho * rho));
    return 2 * rho * majorant(degree + 1) * std::pow(rho, -degree - 1) / (1 - 1 / rho) * root *
           root;
}

double minSeparation(int degree, double error) {
    if (!(error > 0))
        return std::numeric_limits<double>::infinity();
    // I − I_x I_y I_z = (I − I_x) + I_x (I − I_y) + I_x I_y (I − I_z), |I_x| ≤ Λ
    const double lebesgue = 2 / std::numbers::pi * std::log(degree + 1.0) + 1;
    const double alongOne = error / (1 + lebesgue + lebesgue * lebesgue);
    double low = minSum, high = low;
    while (interpolationBound(degree, high) > alongOne) {
        low = high;
        high *= 2;
        if (high > 1e9)
            return std::numeric_limits<double>::infinity();
    }
    for (int k = 0; k < 30; ++k) {
        const double middle = (low + high) / 2;
        (interpolationBound(degree, middle) > alongOne ? low : high) = middle;
    }
    return high;
}

} // namespace systole
