// The logarithm of our own against the library's in double precision.
#include "compute/ops/logarithm.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

TEST(Logarithm, IsExactToAUnitInTheLastPlace) {
    const auto check = [](float number) {
        const double exact = std::log(static_cast<double>(number));
        const double unit = std::ldexp(1.0, std::ilogb(exact) - 23);
        EXPECT_NEAR(static_cast<double>(logarithmOf(number)), exact, unit) << number;
    };
    for (double value = 0.01; value < 100; value *= 1.0003)
        check(static_cast<float>(value));
    for (float value = 0.19f; value < 1.21f; value += 1e-5f)
        check(value);
    EXPECT_EQ(logarithmOf(1), 0);
}

} // namespace
} // namespace systole
