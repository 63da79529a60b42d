// The ratios of two programs' records of the benchmark `pairs`.
#include "bench/pairs_against.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace systole {
namespace {

Json run(double pairsPerSecond, double solve, double error) {
    return {{"sides",
             {{"128",
               {{"cuda",
                 {{"pairs_per_second", pairsPerSecond}, {"seconds", 0.01}, {"error_voxel", error}}},
                {"stages", {{"solve", {{"seconds", solve}}}}}}}}}};
}

const PairsFigure& named(const std::vector<PairsFigure>& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &PairsFigure::name);
    EXPECT_NE(found, all.end()) << name;
    return found == all.end() ? all.front() : *found;
}

TEST(PairsAgainst, TakesMediansOverTheRunsOfEither) {
    const std::vector<Json> before{run(100, 0.004, 0.11), run(50, 0.002, 0.11),
                                   run(125, 0.006, 0.11)};
    const std::vector<Json> now{run(200, 0.001, 0.11), run(160, 0.003, 0.11), run(10, 0.002, 0.11)};
    const std::vector<PairsFigure> figures = pairsFigures(before, now);
    ASSERT_EQ(figures.size(), 4u);
    EXPECT_EQ(figures.front().side, "128");
    EXPECT_DOUBLE_EQ(named(figures, "stage solve").ratio(), 0.5);
    EXPECT_DOUBLE_EQ(named(figures, "error, cuda").ratio(), 1);
    // A rate is compared as the time of one pair: 1/100 and 1/160 seconds.
    EXPECT_DOUBLE_EQ(named(figures, "a pair of many, cuda").ratio(), 100.0 / 160);
}

TEST(PairsAgainst, LeavesOutWhatEitherLacks) {
    Json with = run(100, 0.004, 0.11), without = run(100, 0.004, 0.11);
    with["sides"]["128"]["stages"]["smooth"] = {{"seconds", 0.001}};
    with["sides"]["200"] = with["sides"]["128"];
    for (const auto& [before, now] : {std::pair{with, without}, std::pair{without, with}})
        for (const PairsFigure& figure : pairsFigures({before}, {now})) {
            EXPECT_EQ(figure.side, "128");
            EXPECT_NE(figure.name, "stage smooth");
        }
    EXPECT_FALSE(pairsFigures({with}, {without}).empty());
    EXPECT_TRUE(pairsFigures({with}, {}).empty());
}

} // namespace
} // namespace systole
