// The threshold between dark and bright.
#include "compute/measures/otsu.h"

#include <gtest/gtest.h>

#include <vector>

namespace systole {
namespace {

TEST(Otsu, LiesBetweenTwoValuesHoweverManyThereAreOfEach) {
    for (const int dark : {1, 20, 99}) {
        std::vector<float> values(100, 300);
        std::fill(values.begin(), values.begin() + dark, -100.0f);
        EXPECT_FLOAT_EQ(otsuThreshold(values), 100) << dark;
    }
}

TEST(Otsu, LeavesTheLeastVarianceWithinTheClasses) {
    // 0, 1, ... 255, and 100 times as many of those from 200.
    std::vector<float> values;
    for (int value = 0; value < 256; ++value)
        values.insert(values.end(), value < 200 ? 1 : 100, static_cast<float>(value));
    const auto within = [&](float threshold) {
        double variance = 0;
        for (const bool bright : {false, true}) {
            double count = 0, sum = 0, squares = 0;
            for (const float value : values)
                if ((value > threshold) == bright) {
                    ++count;
                    sum += static_cast<double>(value);
                    squares += static_cast<double>(value * value);
                }
            variance += squares - sum * sum / count;
        }
        return variance;
    };
    const double found = within(otsuThreshold(values));
    for (int border = 0; border < 255; ++border)
        EXPECT_LE(found, within(static_cast<float>(border) + 0.5f) * (1 + 1e-9)) << border;
}

TEST(Otsu, OneValueIsItsOwn) { EXPECT_EQ(otsuThreshold(std::vector<float>(5, 7.5f)), 7.5f); }

} // namespace
} // namespace systole
