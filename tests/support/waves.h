// Gray values with structure everywhere and at every scale.
#pragma once

#include <cmath>

namespace systole::test {

/// Waves of several lengths and directions, between about 10 and 245.
inline double waves(double x, double y, double z) {
    return 127 + 35 * std::sin(0.45 * x + 0.2 * y) + 30 * std::sin(0.5 * y - 0.25 * z) +
           30 * std::sin(0.4 * z + 0.3 * x) + 20 * std::cos(0.15 * x - 0.2 * y + 0.1 * z);
}

} // namespace systole::test
