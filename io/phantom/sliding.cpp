#include "io/phantom/sliding.h"

#include <cmath>

namespace systole {
namespace {

constexpr double variance = 18.0 * 18.0; ///< variance of the Gaussian by which the shift fades, mm²

double weight(double distance) { return std::exp(-distance * distance / (2 * variance)); }

} // namespace

double pushedRadius(double r, double before, double after) {
    return r + (after - before) * weight(r - before);
}

double pulledRadius(double r, double before, double after) {
    const double shift = after - before;
    double found = r - shift;
    for (int iteration = 0; iteration < 50; ++iteration) {
        const double w = weight(found - before);
        const double residual = found + shift * w - r;
        if (std::abs(residual) < 1e-12)
            break;
        found -= residual / (1 - shift * w * (found - before) / variance);
    }
    return found;
}

} // namespace systole
