#include "compute/landmarks/far_field_bound.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace systole {
namespace {

constexpr int terms = 96;
constexpr double leastRho = 1.5; ///< below, the series is too long to be of use

/// The coefficients of (2 − √(1 − x))².
std::array<double, terms> majorant() {
    std::array<double, terms> b{};
    b[0] = b[1] = 1;
    double c = 0.5; // of −√(1 − x)
    for (std::size_t m = 2; m < terms; ++m) {
        c *= (static_cast<double>(m) - 1.5) / static_cast<double>(m);
        b[m] = 4 * c;
    }
    return b;
}

} // namespace

double interpolationBound(int degree, double s) {
    static const std::array<double, terms> b = majorant();
    const double rho = s / 2 + std::sqrt(s * s / 4 - 1);
    if (!(rho >= leastRho))
        return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (int n = degree + 1; n < terms; ++n) {
        double power = std::pow(rho, -n);
        for (int m = 0; n + m < terms; ++m, power /= rho * rho)
            sum += b[static_cast<std::size_t>(n + m)] * b[static_cast<std::size_t>(m)] * power;
    }
    // The rest, with b ≤ 1: a geometric series in each direction.
    const double beyond = std::pow(rho, -terms) / ((1 - 1 / rho) * (1 - 1 / (rho * rho)));
    return 2 * rho * (sum + terms * beyond);
}

double leastSeparation(int degree, double error) {
    if (!(error > 0))
        return std::numeric_limits<double>::infinity();
    // I − I_x I_y I_z = (I − I_x) + I_x (I − I_y) + I_x I_y (I − I_z), |I_x| ≤ Λ
    const double lebesgue = 2 / std::numbers::pi * std::log(degree + 1.0) + 1;
    const double alongOne = error / (1 + lebesgue + lebesgue * lebesgue);
    double low = leastRho + 1 / leastRho, high = low;
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
