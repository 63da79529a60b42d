// Segmentation against the phantom's labels.
#include "compute/core/error.h"
#include "tests/compute/surface/segment_support.h"
#include "tests/support/volume_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace systole {
namespace {

using namespace test;
using ::testing::HasSubstr;

class Segment : public SegmentPhantoms {
protected:
    void expectDice(const PhantomOptions& options, int frame, bool points, double chamber,
                    double wall) {
        const Phantom phantom(options);
        SegmentOptions segment;
        segment.wall = true;
        const Segmentation found = segmentFrame(
            imageOf(phantom, frame), points ? threePoints(phantom, frame) : click(phantom, frame),
            segment, nullptr, ctx);
        const std::vector<std::uint8_t> truth = phantom.labels(frame, ctx);
        EXPECT_GE(dice(found.labels, chamberLabel, truth, phantomBlood), chamber);
        EXPECT_GE(dice(found.labels, wallLabel, truth, phantomWall), wall);
    }
};

TEST_F(Segment, FindsAnEchosCavityFromOneClick) { expectDice(echo(), 0, false, 0.9, 0.75); }
TEST_F(Segment, FindsAnEchosCavityFromThreePoints) { expectDice(echo(), 0, true, 0.9, 0.8); }
TEST_F(Segment, FindsItAtEndSystole) { expectDice(echo(), 10, true, 0.88, 0.85); }
TEST_F(Segment, StaysInsideThroughDropoutAndOutsideOfTheSector) {
    expectDice(hardEcho(), 0, false, 0.88, 0.65);
    expectDice(hardEcho(), 0, true, 0.87, 0.75);
}
TEST_F(Segment, FindsACtsCavity) {
    expectDice(ct(), 0, false, 0.94, 0.85);
    expectDice(ct(), 0, true, 0.94, 0.85);
}
TEST_F(Segment, FindsACavityInThickSlices) {
    expectDice(slices(), 0, false, 0.9, 0.76);
    expectDice(slices(), 0, true, 0.92, 0.82);
}

TEST_F(Segment, ALeakInThickSlicesIsSeenThoughTheyAreMadeConvex) {
    const Geometry grid({64, 40, 12}, {2, 2, 8});
    const auto shareOf = [&](bool open) {
        const Volume image = test::volumeOf(grid, *ctx.pool, [&](int i, int j, int k) {
            const double x = 2.0 * i, across = std::hypot(2.0 * j - 40, 8.0 * k - 44);
            const bool blood = std::hypot(x - 36, across) < 22 || std::hypot(x - 88, across) < 22 ||
                               (open && across < 14 && x > 36 && x < 88);
            return blood ? 200.0 : 50.0 + 5 * ((7 * i + 3 * j + 5 * k) % 5);
        });
        SegmentSeeds seeds;
        seeds.click = Vec3{36, 40, 44};
        return segmentFrame(image, seeds, {}, nullptr, ctx).convexShare;
    };
    EXPECT_GT(shareOf(false), 0.88);
    EXPECT_LT(shareOf(true), 0.88);
}

TEST_F(Segment, InAnEchoAContourThatLeavesThroughAGapIsHeldNearAnEllipsoid) {
    const Geometry grid({70, 40, 44}, {2, 2, 2});
    const auto found = [&](bool open) {
        const Volume image = test::volumeOf(grid, *ctx.pool, [&](int i, int j, int k) {
            const double x = 2.0 * i, across = std::hypot(2.0 * j - 40, 2.0 * k - 44);
            const bool blood = std::hypot(x - 36, across) < 22 || std::hypot(x - 98, across) < 22 ||
                               (open && across < 9 && x > 36 && x < 98);
            return (blood ? 50.0 : 200.0) + 5 * ((7 * i + 3 * j + 5 * k) % 5);
        });
        SegmentSeeds seeds;
        seeds.click = Vec3{36, 40, 44};
        return segmentFrame(image, seeds, {}, nullptr, ctx);
    };
    const double ball = 4.0 / 3 * std::numbers::pi * std::pow(2.2, 3);
    EXPECT_FALSE(found(false).isHeld);
    const Segmentation held = found(true);
    EXPECT_TRUE(held.isHeld);
    // Free, it would hold both balls and what joins them.
    EXPECT_GT(held.milliliters, 0.9 * ball);
    EXPECT_LT(held.milliliters, 1.7 * ball);
}

TEST_F(Segment, FindsTheHeartOfAFetusAsThatOfAGrownOne) {
    constexpr double small = 0.3;
    const Phantom phantom(echo());
    const Volume fetal = shrunkImageOf(phantom, small);
    const std::vector<std::uint8_t> truth = phantom.labels(0, ctx);
    const double voxel = std::pow(small * 2, 3) / 1000,
                 milliliters = voxel * static_cast<double>(std::ranges::count(truth, phantomBlood));
    SegmentOptions segment;
    segment.wall = true;
    for (const SegmentSeeds& seeds :
         {shrunk(threePoints(phantom, 0), small), shrunk(click(phantom, 0), small)}) {
        const Segmentation found = segmentFrame(fetal, seeds, segment, nullptr, ctx);
        EXPECT_GE(dice(found.labels, chamberLabel, truth, phantomBlood), 0.88);
        EXPECT_GE(dice(found.labels, wallLabel, truth, phantomWall), 0.75);
        EXPECT_NEAR(found.milliliters, milliliters, 0.15 * milliliters);
        // The next frame starts from it.
        const Segmentation next = segmentFrame(fetal, seeds, segment, &found.signedDistance, ctx);
        EXPECT_GE(dice(next.labels, chamberLabel, truth, phantomBlood), 0.88);
    }
}

TEST_F(Segment, TheLimitsOfASmallHeartAreThoseOfItsOwnMillimeters) {
    constexpr double small = 0.3;
    const Phantom phantom(ct());
    const Volume fetal = shrunkImageOf(phantom, small);
    const SegmentSeeds points = shrunk(threePoints(phantom, 0), small);
    const double milliliters = segmentFrame(fetal, points, {}, nullptr, ctx).milliliters;
    SegmentOptions limited;
    limited.largestMilliliters = 1.3 * milliliters;
    EXPECT_NEAR(segmentFrame(fetal, points, limited, nullptr, ctx).milliliters, milliliters,
                0.01 * milliliters);
    limited.largestMilliliters = 1;
    expectError(fetal, points, "more than the limit of 1.0 ml", limited);
    // Wider than high: 35 mm beside a line of 20 mm.
    SegmentSeeds wide = points;
    wide.points->mitral = wide.points->apex + Vec3{0, 0, 20};
    wide.points->rightVentricle = wide.points->apex + Vec3{17, 8.5, 15};
    try {
        segmentFrame(fetal, wide, {}, nullptr, ctx);
    } catch (const ComputeError& error) {
        EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("beside")));
    }
}

TEST_F(Segment, SlicesAreThickAsTheyAreStored) {
    // 2.4 mm, which are 8 mm once the heart is enlarged.
    constexpr double small = 0.3;
    const Phantom phantom(slices());
    const Segmentation found = segmentFrame(
        shrunkImageOf(phantom, small), shrunk(threePoints(phantom, 0), small), {}, nullptr, ctx);
    EXPECT_GE(dice(found.labels, chamberLabel, phantom.labels(0, ctx), phantomBlood), 0.9);
}

TEST_F(Segment, ALeakIsNotLookedAtAgainAsAHeartOfAFetus) {
    const Phantom phantom(ct());
    SegmentOptions limited;
    limited.largestMilliliters = 10;
    int begun = 0;
    ctx.progress = [&](const std::string& phase, double) { begun += phase == "first contour"; };
    expectError(imageOf(phantom, 0), click(phantom, 0), "leaks", limited);
    EXPECT_EQ(begun, 1);
}

TEST_F(Segment, AClickFarFromTheMiddleFindsTheSame) {
    const Phantom phantom(ct());
    const Volume image = imageOf(phantom, 0);
    const Segmentation middle = segmentFrame(image, click(phantom, 0), {}, nullptr, ctx);
    const Segmentation aside =
        segmentFrame(image, click(phantom, 0, {8, -6, 25}), {}, nullptr, ctx);
    EXPECT_GE(dice(middle.labels, 1, aside.labels, 1), 0.97);
}

TEST_F(Segment, AClickInTheWallFindsTheChamberThatItEncloses) {
    for (const PhantomOptions& options : {echo(), ct(), slices()}) {
        const Phantom phantom(options);
        const Volume image = imageOf(phantom, 0);
        const std::vector<std::uint8_t> truth = phantom.labels(0, ctx);
        // Clicks in the middle of the wall, around it and at several heights.
        for (const double turn : {0.3, 2.8})
            for (const double height : {turn < 1 ? -5.0 : 12.0}) {
                SCOPED_TRACE(testing::Message() << turn << " at " << height);
                const Vec3 out{std::cos(turn), std::sin(turn), 0};
                double first = -1, last = -1;
                for (double r = 0; r < 45; r += 0.5) {
                    const Vec3 at = phantom.geometry().physicalToIndex(
                        phantom.forward(r * out + Vec3{0, 0, height}, phantom.contraction(0)));
                    const std::size_t i = image.view().offset(static_cast<int>(std::lround(at.x)),
                                                              static_cast<int>(std::lround(at.y)),
                                                              static_cast<int>(std::lround(at.z)));
                    if (truth[i] == phantomWall) {
                        first = first < 0 ? r : first;
                        last = r;
                    }
                }
                SegmentOptions segment;
                segment.clickInWall = true;
                const Segmentation found = segmentFrame(
                    image, click(phantom, 0, 0.5 * (first + last) * out + Vec3{0, 0, height}),
                    segment, nullptr, ctx);
                EXPECT_GE(dice(found.labels, chamberLabel, truth, phantomBlood),
                          options.planesPerSlice > 1 ? 0.8 : 0.9);
                EXPECT_GE(dice(found.labels, wallLabel, truth, phantomWall), 0.7);
            }
    }
}

TEST_F(Segment, TheSignedDistanceAgreesWithTheLabelsAndIsADistance) {
    const Phantom phantom(ct());
    const Segmentation found =
        segmentFrame(imageOf(phantom, 0), click(phantom, 0), {}, nullptr, ctx);
    const VolumeView<const float> phi = found.signedDistance.view();
    double worst = 0;
    for (int z = 1; z < phi.size.z - 1; ++z)
        for (int y = 1; y < phi.size.y - 1; ++y)
            for (int x = 1; x < phi.size.x - 1; ++x) {
                const float here = phi(x, y, z);
                EXPECT_EQ(here < 0, found.labels[phi.offset(x, y, z)] == chamberLabel);
                if (std::abs(here) < 3)
                    worst =
                        std::max(worst, std::hypot((phi(x + 1, y, z) - phi(x - 1, y, z)) / 4.0,
                                                   (phi(x, y + 1, z) - phi(x, y - 1, z)) / 4.0,
                                                   (phi(x, y, z + 1) - phi(x, y, z - 1)) / 4.0));
            }
    EXPECT_LE(worst, 1.1);
}

TEST_F(Segment, TheContourOfTheFrameBeforeIsAStart) {
    const Phantom phantom(echo());
    const SegmentSeeds seeds = click(phantom, 0);
    Segmentation found = segmentFrame(imageOf(phantom, 0), seeds, {}, nullptr, ctx);
    for (const int frame : {2, 4, 6})
        found = segmentFrame(imageOf(phantom, frame), seeds, {}, &found.signedDistance, ctx);
    EXPECT_GE(dice(found.labels, chamberLabel, phantom.labels(6, ctx), phantomBlood), 0.85);
}

TEST_F(Segment, AnyNumberOfThreadsGivesTheSameBits) {
    const Phantom phantom(hardEcho());
    const Volume image = imageOf(phantom, 0);
    const auto with = [&](int threads) {
        ExecResources other(threads);
        SegmentOptions options;
        options.wall = true;
        const Segmentation found =
            segmentFrame(image, threePoints(phantom, 0), options, nullptr, other.context());
        return std::pair(found.labels,
                         std::vector<float>(found.signedDistance.voxels.span().begin(),
                                            found.signedDistance.voxels.span().end()));
    };
    EXPECT_EQ(with(1), with(3));
}

TEST_F(Segment, CanBeCancelledAndReportsProgress) {
    const Phantom phantom(ct());
    const Volume image = imageOf(phantom, 0);
    double last = 0;
    ctx.progress = [&](const std::string& phase, double fraction) {
        EXPECT_FALSE(phase.empty());
        EXPECT_GE(fraction, last);
        last = fraction;
    };
    segmentFrame(image, click(phantom, 0), {}, nullptr, ctx);
    EXPECT_EQ(last, 1);
    ctx.progress = nullptr;
    ctx.cancel.cancel();
    EXPECT_THROW(segmentFrame(image, click(phantom, 0), {}, nullptr, ctx), Cancelled);
}

} // namespace
} // namespace systole
