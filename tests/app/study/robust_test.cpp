#include "app/study/agreement_chart.h"
#include "app/study/robust.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace systole {
namespace {

TEST(RobustScale, OfNormalValuesIsTheirStandardDeviation) {
    std::mt19937 generator(1);
    std::normal_distribution<double> normal(5, 2);
    std::vector<double> values(20001);
    for (double& value : values)
        value = normal(generator);
    const RobustScale scale = robustScale(values);
    EXPECT_NEAR(scale.median, 5, 0.05);
    EXPECT_NEAR(scale.deviation, 2, 0.05);
}

TEST(RobustScale, HardlyFeelsWhatIsWrong) {
    std::vector<double> values{1, 2, 3, 4, 5, 6, 7};
    const RobustScale before = robustScale(values);
    values.back() = 1e9;
    EXPECT_EQ(robustScale(values).median, before.median);
    EXPECT_EQ(robustScale(values).deviation, before.deviation);
    EXPECT_NEAR(before.deviation, 1.4826 * 2, 1e-12);
}

TEST(RobustScale, OfAnEvenNumberAndOfNone) {
    EXPECT_EQ(medianOf({4, 1, 3, 2}), 2.5);
    EXPECT_TRUE(std::isnan(medianOf({})));
}

TEST(Agreement, IsThatOfBlandAndAltman) {
    const std::vector<double> measured{10, 12, 11, 15}, reference{9, 13, 9, 13};
    const Agreement agreement = agreementOf(measured, reference);
    EXPECT_DOUBLE_EQ(agreement.bias, 1);                   // 1, -1, 2, 2
    EXPECT_DOUBLE_EQ(agreement.deviation, std::sqrt(2.0)); // squares 0 4 1 1 over 3
    EXPECT_DOUBLE_EQ(agreement.high() - agreement.low(), 2 * 1.96 * std::sqrt(2.0));
    EXPECT_DOUBLE_EQ(agreement.means[1], 12.5);
}

TEST(Agreement, ItsChartHasRoomForEveryLabel) {
    for (const double unit : {1e-3, 0.1, 1.0, 1000.0}) {
        std::vector<double> measured, reference;
        for (const double value : {41.0, 50.0, 58.0, 60.0}) { // ends of the axis are ticks
            measured.push_back(value * unit);
            reference.push_back((value + 1) * unit);
        }
        const Drawing chart = agreementChart(agreementOf(measured, reference), "EF", "%");
        ASSERT_GT(chart.texts.size(), 8U);
        constexpr double widest = 0.6; // width of a digit, in its height
        for (const DrawnText& text : chart.texts) {
            const double width = widest * text.size * static_cast<double>(text.text.size());
            const double before = text.anchor == WordsAnchor::Start ? 0
                                  : text.anchor == WordsAnchor::End ? width
                                                                    : width / 2;
            EXPECT_GE(text.at.x - before, 0) << text.text;
            EXPECT_LE(text.at.x - before + width, chart.width) << text.text;
        }
    }
}

} // namespace
} // namespace systole
