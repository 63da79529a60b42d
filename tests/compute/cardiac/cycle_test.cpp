// Peaks, end systole and dispersion of curves that are written down.
#include "compute/cardiac/cycle.h"
#include "compute/core/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole::cardiac {
namespace {

/// Four frames, two segments.
struct Curves {
    Measures measures;
    VentricleMotion motion;

    Curves() {
        measures.segmentVoxels = {10, 10};
        const double volumes[] = {100, 60, 40, 70};
        const double first[] = {0, -0.1, -0.2, -0.05}, second[] = {0, 0.02, -0.1, -0.16};
        for (std::size_t t = 0; t < 4; ++t) {
            FrameMeasures frame;
            frame.cavity = {volumes[t] + 1, volumes[t] + 2, volumes[t]};
            frame.segments.resize(2);
            frame.segments[0].strain = {first[t], std::nan(""), -first[t]};
            frame.segments[1].strain = {second[t], std::nan(""), -second[t]};
            frame.strain = {first[t], second[t], -first[t]};
            measures.frames.push_back(frame);
            motion.frame.push_back(static_cast<int>(t));
            motion.timeSeconds.push_back(0.1 * static_cast<double>(t));
        }
    }
};

TEST(Cycle, FindsEndSystolePeaksAndDispersion) {
    const Curves curves;
    const CycleSummary summary = summaryOf(curves.measures, curves.motion, {});
    EXPECT_EQ(summary.endSystole, 2);
    EXPECT_DOUBLE_EQ(summary.ejectionPercent.midWall, 60);
    EXPECT_DOUBLE_EQ(summary.ejectionPercent.voxels, 100 * (1 - 41.0 / 101));
    const StrainPeak& early = summary.segments[0][0];
    EXPECT_EQ(early.frame, 2);
    EXPECT_DOUBLE_EQ(early.peak, -0.2);
    EXPECT_DOUBLE_EQ(early.postSystolicIndex, 0);
    const StrainPeak& late = summary.segments[1][0];
    EXPECT_EQ(late.frame, 3);
    EXPECT_DOUBLE_EQ(late.atEndSystole, -0.1);
    EXPECT_NEAR(late.postSystolicIndex, 37.5, 1e-9);
    EXPECT_NEAR(late.seconds, 0.3, 1e-12);
    // Spread of 0.2 and 0.3 s.
    EXPECT_NEAR(summary.dispersionSeconds[0], 0.1 / std::sqrt(2.0), 1e-12);
    EXPECT_DOUBLE_EQ(summary.segments[0][2].peak, 0.2); // radial: the highest
    EXPECT_TRUE(std::isnan(summary.segments[0][1].peak));
    EXPECT_TRUE(std::isnan(summary.segments[0][1].postSystolicIndex));
    EXPECT_TRUE(std::isnan(summary.dispersionSeconds[1]));
}

TEST(Cycle, AVolumeBelowNothingEjectsNothing) {
    Curves curves;
    curves.measures.frames[2].cavity.midWall = -5;
    const CycleSummary summary = summaryOf(curves.measures, curves.motion, {});
    EXPECT_EQ(summary.endSystole, 2);
    EXPECT_TRUE(std::isnan(summary.ejectionPercent.midWall));
    EXPECT_DOUBLE_EQ(summary.ejectionPercent.voxels, 100 * (1 - 41.0 / 101));
}

TEST(Cycle, EndSystoleMayBeGiven) {
    const Curves curves;
    EXPECT_EQ(summaryOf(curves.measures, curves.motion, 1).endSystole, 1);
    EXPECT_NEAR(summaryOf(curves.measures, curves.motion, 1).segments[0][0].postSystolicIndex, 50,
                1e-9);
    EXPECT_THROW(summaryOf(curves.measures, curves.motion, 4), ComputeError);
}

} // namespace
} // namespace systole::cardiac
