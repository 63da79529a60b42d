// Gray values with structure everywhere and at every scale.
#pragma once

#include <cmath>

namespace systole::test {

/// Waves of several lengths and directions, between about 10 and 245.
inline double waves(double x, double y, double z) {
    return 127 + 35 * std::sin(0.45 * x + 0.2 * y) + 30 * std::sin(0.5 * y - 0.25 * z) +
           30 * std::sin(0.4 * z + 0.3 * x) + 20 * std::cos(0.15 * x - 0.2 * y + 0.1 * z);
}

/// A bright body of radius 10 about (20, 18, 16), with some structure, in a dark surrounding.
inline double body(double x, double y, double z) {
    const double r = std::sqrt((x - 20) * (x - 20) + (y - 18) * (y - 18) + (z - 16) * (z - 16));
    return 0.6 * waves(x, y, z) / (1 + std::exp(2 * (r - 10))) + 40;
}

} // namespace systole::test
