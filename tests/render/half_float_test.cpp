// Half floats against what their bits mean.
#include "render/gl/half_float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace systole {
namespace {

constexpr std::uint16_t infinity = 0x7c00;

/// Value of a finite half float.
float valueOf(std::uint16_t half) {
    const int exponent = (half >> 10) & 31, fraction = half & 1023;
    const float size = exponent == 0
                           ? std::ldexp(static_cast<float>(fraction), -24)
                           : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    return half & 0x8000 ? -size : size;
}

TEST(HalfFloat, EveryOneIsMetAndWhatLiesBetweenGoesToTheNearerOne) {
    for (std::uint16_t half = 0; half + 1 < infinity; ++half) {
        const float low = valueOf(half), high = valueOf(half + 1), middle = 0.5f * (low + high);
        ASSERT_EQ(halfOf(low), half);
        ASSERT_EQ(halfOf(-low), half | 0x8000);
        ASSERT_EQ(halfOf(middle), half % 2 == 0 ? half : half + 1) << "of two the even one";
        ASSERT_EQ(halfOf(std::nextafter(middle, low)), half);
        ASSERT_EQ(halfOf(std::nextafter(middle, high)), half + 1);
    }
}

TEST(HalfFloat, WhatIsTooLargeIsInfiniteAndNoNumberStaysNone) {
    EXPECT_EQ(halfOf(65504), infinity - 1);
    EXPECT_EQ(halfOf(65519), infinity - 1);
    EXPECT_EQ(halfOf(65520), infinity);
    EXPECT_EQ(halfOf(-std::numeric_limits<float>::infinity()), infinity | 0x8000);
    EXPECT_GT(halfOf(std::numeric_limits<float>::quiet_NaN()) & 0x7fff, infinity);
}

TEST(HalfFloat, ARowIsItsValues) {
    std::vector<float> values;
    for (int i = 0; i < 37; ++i)
        values.push_back(static_cast<float>(i * i) - 300.25f);
    std::vector<std::uint16_t> halves(values.size());
    toHalf(values.data(), values.size(), halves.data());
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(halves[i], halfOf(values[i]));
}

} // namespace
} // namespace systole
