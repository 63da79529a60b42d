// Student's test against tabulated quantiles and a case computed by hand.
#include "compute/measures/t_test.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

TEST(TTest, HasTheTabulatedQuantiles) {
    // Two-sided 5 %, 1 % and 0.1 %.
    struct Row {
        int degrees;
        double five, one, tenth;
    };
    for (const Row& row : {Row{1, 12.7062, 63.6567, 636.6192}, Row{2, 4.3027, 9.9248, 31.5991},
                           Row{3, 3.1824, 5.8409, 12.9240}, Row{4, 2.7764, 4.6041, 8.6103},
                           Row{9, 2.2622, 3.2498, 4.7809}, Row{30, 2.0423, 2.7500, 3.6460}}) {
        EXPECT_NEAR(twoSidedProbability(row.five, row.degrees), 0.05, 5e-6) << row.degrees;
        EXPECT_NEAR(twoSidedProbability(-row.one, row.degrees), 0.01, 1e-6) << row.degrees;
        EXPECT_NEAR(twoSidedProbability(row.tenth, row.degrees), 0.001, 1e-6) << row.degrees;
        EXPECT_EQ(twoSidedProbability(0, row.degrees), 1);
    }
}

TEST(TTest, OfFourValues) {
    const TTest test = tTestAgainstZero({1, 2, 3, 6});
    EXPECT_DOUBLE_EQ(test.mean, 3);
    EXPECT_DOUBLE_EQ(test.deviation, std::sqrt(14.0 / 3));
    EXPECT_DOUBLE_EQ(test.t, 6 / std::sqrt(14.0 / 3));
    EXPECT_NEAR(test.p, twoSidedProbability(2.777460, 3), 1e-6);
}

TEST(TTest, OfNothingToCompare) {
    EXPECT_TRUE(std::isnan(tTestAgainstZero({4}).p));
    EXPECT_TRUE(std::isnan(tTestAgainstZero({4, 4}).t));
}

} // namespace
} // namespace systole
