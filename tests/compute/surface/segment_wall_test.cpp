// The volume of a wall: near the phantom's, and that of another frame where it is given.
#include "compute/surface/segment.h"
#include "io/phantom/phantom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace systole {
namespace {

constexpr double voxelMilliliters = 0.008;

class SegmentedWall : public ::testing::Test {
protected:
    ExecResources resources{2};
    ExecContext ctx = resources.context();
    PhantomOptions heart;

    SegmentedWall() { heart.size = {64, 64, 64}; }

    static SegmentSeeds click() {
        SegmentSeeds seeds;
        seeds.click = Vec3{0, 0, 9};
        return seeds;
    }
    static SegmentSeeds points() {
        SegmentSeeds seeds;
        seeds.points = VentriclePoints{{0, 0, -31}, {0, 0, 41}, {29, 0, 29}};
        return seeds;
    }
    Segmentation found(const SegmentSeeds& seeds, std::optional<double> milliliters) {
        const Phantom phantom(heart);
        Volume image(phantom.geometry(), *ctx.pool, "image");
        phantom.image(0, image.view(), ctx);
        SegmentOptions options;
        options.wall = true;
        options.wallMilliliters = milliliters;
        return segmentFrame(image, seeds, options, nullptr, ctx);
    }
};

TEST_F(SegmentedWall, IsAsLargeAsThePhantomsFromOneClick) {
    heart.multiplicativeNoise = heart.biasAmplitude = 0.3;
    heart.dropout = 0.9;
    heart.sectorDegrees = 70;
    const auto truth =
        voxelMilliliters *
        static_cast<double>(std::ranges::count(Phantom(heart).labels(0, ctx), std::uint8_t{1}));
    EXPECT_NEAR(found(click(), {}).wallMilliliters, truth, 0.25 * truth);
}

TEST_F(SegmentedWall, KeepsTheVolumeOfAnotherFrame) {
    heart.look = PhantomLook::Ct;
    for (const SegmentSeeds& seeds : {click(), points()}) {
        const Segmentation usual = found(seeds, {});
        for (const double factor : {0.8, 1.2}) {
            const double wanted = factor * usual.wallMilliliters;
            const Segmentation held = found(seeds, wanted);
            EXPECT_NEAR(held.wallMilliliters, wanted, 0.001 * wanted);
            EXPECT_EQ(std::ranges::count(held.labels, chamberLabel),
                      std::ranges::count(usual.labels, chamberLabel));
        }
        // Not at any price.
        EXPECT_LT(found(seeds, 10 * usual.wallMilliliters).wallMilliliters,
                  2 * usual.wallMilliliters);
    }
}

TEST_F(SegmentedWall, KeepsTheVolumeInViewButNotThroughTheEndOfAStack) {
    heart.look = PhantomLook::Ct;
    // The field of view ends 32 mm from the middle, within the base.
    heart.size.z = 32;
    const Segmentation cut = found(click(), {});
    EXPECT_TRUE(cut.keepsWall);
    const double wanted = 1.2 * cut.wallMilliliters;
    EXPECT_NEAR(found(click(), wanted).wallMilliliters, wanted, 0.001 * wanted);
    heart.size.z = 8;
    heart.planesPerSlice = 4;
    const Segmentation stack = found(click(), {});
    EXPECT_FALSE(stack.keepsWall);
    EXPECT_EQ(found(click(), 1.2 * stack.wallMilliliters).labels, stack.labels);
}

} // namespace
} // namespace systole
