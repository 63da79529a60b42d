// Ticks that a plot writes, and positions of values on its axes.
#include "app/base/plot_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::ElementsAre;
using Steps = PlotAxis::Steps;

std::vector<std::string> labels(const PlotAxis& axis, int most) {
    std::vector<std::string> labels;
    for (const PlotTick& tick : axis.ticks(most))
        if (!tick.label.empty())
            labels.push_back(tick.label);
    return labels;
}

TEST(PlotAxis, WritesRoundNumbers) {
    EXPECT_THAT(labels({0, 1, Steps::Decimal}, 6),
                ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
    EXPECT_THAT(labels({0, 1, Steps::Decimal}, 5), ElementsAre("0.0", "0.5", "1.0"));
    EXPECT_THAT(labels({0, 437, Steps::Decimal}, 5), ElementsAre("0", "100", "200", "300", "400"));
    EXPECT_THAT(labels({-0.03, 0.012, Steps::Decimal}, 5),
                ElementsAre("-0.03", "-0.02", "-0.01", "0.00", "0.01"));
}

TEST(PlotAxis, WritesTwoLabelsAtLeast) {
    EXPECT_THAT(labels({0.91, 1.09, Steps::Decimal}, 2), ElementsAre("0.95", "1.00", "1.05"));
}

TEST(PlotAxis, NumbersFramesWithoutFractions) {
    EXPECT_THAT(labels({0, 1, Steps::Whole}, 6), ElementsAre("0", "1"));
    EXPECT_THAT(labels({-0.5, 1.5, Steps::Whole}, 6), ElementsAre("0", "1"));
    EXPECT_THAT(labels({0, 3, Steps::Whole}, 6), ElementsAre("0", "1", "2", "3"));
    EXPECT_THAT(labels({0, 29, Steps::Whole}, 4), ElementsAre("0", "10", "20"));
    EXPECT_THAT(labels({-0.5, 0.5, Steps::Whole}, 4), ElementsAre("0"));
    for (int frames = 2; frames < 60; ++frames)
        for (int most = 2; most < 8; ++most) {
            const auto written = labels({0, frames - 1.0, Steps::Whole}, most);
            EXPECT_GE(written.size(), 2u) << frames << " " << most;
            for (const std::string& label : written)
                EXPECT_EQ(label.find('.'), std::string::npos) << label;
        }
}

TEST(PlotAxis, WritesPowersOfTwoForThreadsAndBytes) {
    EXPECT_THAT(labels({32, 1024, Steps::Binary}, 9),
                ElementsAre("128", "256", "384", "512", "640", "768", "896", "1024"));
    EXPECT_THAT(labels({32, 1024, Steps::Binary}, 4), ElementsAre("256", "512", "768", "1024"));
    EXPECT_THAT(labels({0, 228, Steps::Binary}, 4), ElementsAre("0", "64", "128", "192"));
}

TEST(PlotAxis, WritesDecadesAndWhatFitsBetween) {
    EXPECT_THAT(labels({0.01, 1000, Steps::Decades}, 6),
                ElementsAre("0.01", "0.1", "1", "10", "100", "1000"));
    EXPECT_THAT(labels({0.01, 1000, Steps::Decades}, 3), ElementsAre("0.01", "1", "100"));
    EXPECT_THAT(labels({1, 10, Steps::Decades}, 4), ElementsAre("1", "2", "5", "10"));
    EXPECT_THAT(labels({0.3, 1.2, Steps::Decades}, 12),
                ElementsAre("0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"));
    EXPECT_THAT(labels({0.3, 4, Steps::Decades}, 12), ElementsAre("0.3", "0.5", "1", "2", "3"));
    // A part of a decade that has no two of them.
    EXPECT_THAT(labels({1.1, 1.8, Steps::Decades}, 4), ElementsAre("1.2", "1.4", "1.6", "1.8"));
}

TEST(PlotAxis, NeverWritesMoreThanFitAndAlwaysWithinItsEnds) {
    for (const Steps steps : {Steps::Decimal, Steps::Binary, Steps::Decades})
        for (const double low : {1e-7, 0.03, 1.0, 31.0, 977.0})
            for (const double factor : {1.0, 1.01, 1.7, 9.0, 130.0, 1e9})
                for (int most = 2; most < 14; ++most) {
                    const PlotAxis axis(low, low * factor, steps);
                    const auto written = labels(axis, most);
                    EXPECT_LE(written.size(), static_cast<std::size_t>(std::max(most, 5)))
                        << low << " " << factor;
                    EXPECT_GE(written.size(), steps == Steps::Decades ? 1u : 2u)
                        << low << " " << factor << " " << most;
                    double before = -std::numeric_limits<double>::infinity();
                    for (const PlotTick& tick : axis.ticks(most)) {
                        EXPECT_GT(tick.value, before);
                        EXPECT_GE(axis.position(tick.value), -1e-6);
                        EXPECT_LE(axis.position(tick.value), 1 + 1e-6);
                        before = tick.value;
                    }
                }
}

TEST(PlotAxis, MapsItsEnds) {
    const PlotAxis linear(10, 30, Steps::Decimal), decades(0.1, 1000, Steps::Decades);
    EXPECT_DOUBLE_EQ(linear.position(10), 0);
    EXPECT_DOUBLE_EQ(linear.position(25), 0.75);
    EXPECT_DOUBLE_EQ(linear.position(50), 2);
    EXPECT_NEAR(decades.position(0.1), 0, 1e-12);
    EXPECT_NEAR(decades.position(10), 0.5, 1e-12);
    EXPECT_LT(decades.position(0), 0);
    EXPECT_NEAR(decades.position(1000), 1, 1e-12);
}

TEST(PlotAxis, WidensWhatCannotBeDrawn) {
    for (const Steps steps : {Steps::Decimal, Steps::Binary, Steps::Decades})
        for (const auto& [low, high] : std::vector<std::pair<double, double>>{
                 {5, 5}, {0, 0}, {3, 1}, {NAN, 2}, {1, INFINITY}, {-4, -4}}) {
            const PlotAxis axis(low, high, steps);
            EXPECT_LT(axis.low(), axis.high()) << low << " " << high;
            EXPECT_TRUE(std::isfinite(axis.low()) && std::isfinite(axis.high()));
            if (std::isfinite(low) && low == high && (steps != Steps::Decades || low > 0)) {
                EXPECT_LE(axis.low(), low);
                EXPECT_GE(axis.high(), high);
            }
        }
    const PlotAxis from0(0, 10, Steps::Decades);
    EXPECT_NEAR(from0.low(), 0.01, 1e-12);
}

TEST(PlotAxis, RoundsItsEndsOutwards) {
    const PlotAxis linear = PlotAxis(0.3, 4.1, Steps::Decimal).rounded(6);
    EXPECT_DOUBLE_EQ(linear.low(), 0);
    EXPECT_DOUBLE_EQ(linear.high(), 5);
    const PlotAxis decades = PlotAxis(0.034, 700, Steps::Decades).rounded(6);
    EXPECT_NEAR(decades.low(), 0.02, 1e-12);
    EXPECT_NEAR(decades.high(), 1000, 1e-9);
    const PlotAxis kept = PlotAxis(0.1, 100, Steps::Decades).rounded(6);
    EXPECT_NEAR(kept.low(), 0.1, 1e-12);
    EXPECT_NEAR(kept.high(), 100, 1e-9);
}

} // namespace
} // namespace systole
