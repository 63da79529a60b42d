// Spectral matching: wrong matches planted alone and in groups, in smooth, sliding and contracting
// motion, beside the test against neighbors.
#include "compute/core/error.h"
#include "compute/landmarks/spectral_matching.h"
#include "tests/compute/landmarks/matches_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

class Spectral : public testing::Test {
protected:
    std::vector<unsigned char> bySpectrum(const test::Matches& matches, int threads = 2) {
        ExecResources resources(threads);
        const std::vector<unsigned char> counts(matches.points.size(), 1);
        std::vector<unsigned char> agrees(counts.size());
        const NeighborTable table = nearestNeighbors(matches.points, 24, resources.context());
        report = judgeSpectrally(matches.points, matches.displacements, counts, table, {}, agrees,
                                 resources.context());
        return agrees;
    }
    std::vector<unsigned char> byNeighbors(const test::Matches& matches) {
        ExecResources resources(2);
        const std::vector<unsigned char> counts(matches.points.size(), 1);
        std::vector<unsigned char> agrees(counts.size());
        const NeighborTable table = nearestNeighbors(matches.points, 24, resources.context());
        judgeAgreement(matches.points, matches.displacements, counts, table, {}, agrees,
                       resources.context());
        return agrees;
    }
    SpectralReport report;
};

TEST_F(Spectral, KeepsMotionThatIsRight) {
    const auto lost = [&](const test::Matches& matches) {
        return test::outcomeOf(matches, bySpectrum(matches)).rightLost;
    };
    EXPECT_EQ(lost(test::plantedMatches(1500, 200, test::smooth, 1, 0)), 0);
    EXPECT_EQ(lost(test::plantedMatches(1500, 200, test::contraction, 1, 0)), 0);
    EXPECT_EQ(report.components, 1);
    EXPECT_LE(lost(test::plantedMatches(1500, 100, test::sliding, 1, 0)), 15); // 1 %
    EXPECT_EQ(report.components, 2); // the two sides of the wall
}

TEST_F(Spectral, RejectsWrongMatchesOneByOne) {
    const auto check = [&](const auto& motion, double edge, double fraction, double left,
                           double lost) {
        const test::Matches matches = test::plantedMatches(1500, edge, motion, 1, fraction);
        const test::Judged judged = test::outcomeOf(matches, bySpectrum(matches));
        EXPECT_LE(judged.wrongLeft, left * judged.wrong) << fraction;
        EXPECT_LE(judged.rightLost, lost * judged.right) << fraction;
    };
    check(test::smooth, 200, 0.2, 0.05, 0.01);
    check(test::contraction, 200, 0.2, 0.05, 0.01);
    check(test::sliding, 100, 0.2, 0.01, 0.02);
    check(test::smooth, 200, 0.4, 0.05, 0.03);
    check(test::sliding, 100, 0.4, 0.01, 0.05);
}

/// The median of the neighbors is misled inside a group; the component is still small.
TEST_F(Spectral, RejectsWholeGroupsThatTheNeighborTestKeeps) {
    for (const int group : {10, 20, 40}) {
        const test::Matches matches = test::plantedMatches(1500, 100, test::sliding, group, 0.1);
        const test::Judged spectral = test::outcomeOf(matches, bySpectrum(matches)),
                           neighbors = test::outcomeOf(matches, byNeighbors(matches));
        EXPECT_GT(neighbors.wrongLeft, 0.25 * neighbors.wrong) << group;
        EXPECT_LT(spectral.wrongLeft, 0.3 * neighbors.wrongLeft) << group;
        EXPECT_LE(spectral.rightLost, std::max(neighbors.rightLost, 15)) << group;
    }
}

/// An organ of its own, a fifth of the points, slides in its surroundings.
TEST_F(Spectral, AComponentOfSomeSizeIsNoOutlier) {
    const auto motion = [](Vec3 p) {
        const bool organ = length(p - Vec3{50, 50, 50}) < 36;
        return organ ? Vec3{0, 12, 0} : Vec3{};
    };
    const test::Matches matches = test::plantedMatches(1500, 100, motion, 1, 0);
    EXPECT_LE(test::outcomeOf(matches, bySpectrum(matches)).rightLost, 15);
    EXPECT_EQ(report.components, 2);
}

TEST_F(Spectral, TheSameBitsForAnyNumberOfThreads) {
    const test::Matches matches = test::plantedMatches(1500, 200, test::contraction, 10, 0.2);
    const std::vector<unsigned char> one = bySpectrum(matches, 1);
    for (const int threads : {2, 3, 7})
        EXPECT_EQ(bySpectrum(matches, threads), one) << threads;
}

TEST_F(Spectral, FewPointsAndNoneAreKept) {
    ExecResources resources(1);
    for (const std::size_t count : {0U, 1U, 2U, 4U}) {
        test::Matches matches = test::plantedMatches(count, 10, test::smooth, 1, 0);
        for (std::size_t i = 0; i < count; ++i)
            matches.displacements[i] = {30.0 * static_cast<double>(i), 0, 0};
        const std::vector<unsigned char> all(count, 1);
        EXPECT_EQ(bySpectrum(matches), all) << count;
    }
}

TEST_F(Spectral, WhatDoesNotCountStaysOutAndIsNoNeighbor) {
    ExecResources resources(1);
    const test::Matches matches = test::plantedMatches(600, 100, test::sliding, 1, 0.3);
    std::vector<unsigned char> counts(600), agrees(600);
    for (std::size_t i = 0; i < 600; ++i)
        counts[i] = !matches.wrong[i];
    const NeighborTable table = nearestNeighbors(matches.points, 24, resources.context());
    judgeSpectrally(matches.points, matches.displacements, counts, table, {}, agrees,
                    resources.context());
    int lost = 0;
    for (std::size_t i = 0; i < 600; ++i)
        if (counts[i])
            lost += !agrees[i];
        else
            EXPECT_EQ(agrees[i], 0) << i;
    EXPECT_LE(lost, 12);
}

TEST_F(Spectral, CancelledInTime) {
    ExecResources resources(1);
    const test::Matches matches = test::plantedMatches(100, 100, test::sliding, 1, 0);
    std::vector<unsigned char> counts(100, 1), agrees(100);
    ExecContext ctx = resources.context();
    const NeighborTable table = nearestNeighbors(matches.points, 24, ctx);
    ctx.cancel.cancel();
    EXPECT_THROW(
        judgeSpectrally(matches.points, matches.displacements, counts, table, {}, agrees, ctx),
        Cancelled);
}

} // namespace
} // namespace systole
