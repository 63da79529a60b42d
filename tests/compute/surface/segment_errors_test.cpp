// Errors of segmentation on bad input.
#include "tests/compute/surface/segment_support.h"
#include "tests/support/volume_of.h"

namespace systole {
namespace {

using namespace test;

using SegmentErrors = SegmentPhantoms;

TEST_F(SegmentErrors, AClickInNoWallIsRefused) {
    const Phantom phantom(ct());
    SegmentOptions segment;
    segment.clickInWall = true;
    // Far from the heart.
    const Geometry& grid = phantom.geometry();
    const Vec3 corner = grid.indexToPhysical({3, 3, 3});
    SegmentSeeds seeds;
    seeds.click = corner;
    expectError(imageOf(phantom, 0), seeds, "whose wall holds the click", segment);
    expectError(imageOf(phantom, 0), threePoints(phantom, 0), "one click", segment);
}

TEST_F(SegmentErrors, SaysWhatIsWrongWithTheInput) {
    const Phantom phantom(hardEcho());
    Volume image = imageOf(phantom, 0);
    SegmentSeeds outside;
    outside.click = Vec3{500, 0, 0};
    expectError(image, outside, "outside the image");
    SegmentSeeds background;
    background.click = Vec3{-60, -60, 60};
    expectError(image, background, "background");
    expectError(image, {}, "one click or from three points");
    SegmentSeeds close = threePoints(phantom, 0);
    close.points->mitral = close.points->apex;
    expectError(image, close, "8 to 200 mm apart");
    SegmentSeeds inLine = threePoints(phantom, 0);
    inLine.points->rightVentricle = inLine.points->mitral;
    expectError(image, inLine, "beside the line");
    SegmentOptions small;
    small.largestMilliliters = 10;
    expectError(image, click(phantom, 0), "leaks", small);
    const Volume constant =
        test::volumeOf(phantom.geometry(), *ctx.pool, [](int, int, int) { return 7; });
    expectError(constant, click(phantom, 0), "constant");
    const Volume slice = test::volumeOf(Geometry({64, 64, 1}, {2, 2, 2}), *ctx.pool,
                                        [](int x, int y, int) { return x + y; });
    SegmentSeeds inSlice;
    inSlice.click = Vec3{60, 60, 0};
    expectError(slice, inSlice, "one slice");
    const Volume sheared = test::volumeOf(
        Geometry({64, 64, 64}, {2, 2, 2}, {}, {{{1, 0, 0.6}, {0, 1, 0}, {0, 0, 0.8}}}), *ctx.pool,
        [](int x, int y, int) { return x + y; });
    expectError(sheared, inSlice, "right angles");
    image.view()(5, 5, 5) = NAN;
    expectError(image, click(phantom, 0), "not finite");
}

TEST_F(SegmentErrors, SaysThatThereIsNoBorder) {
    // A bright half space: rays into it never end.
    const Geometry grid({64, 64, 64}, {3, 3, 3});
    const Volume half =
        test::volumeOf(grid, *ctx.pool, [](int x, int, int) { return x < 8 ? 0 : 100; });
    SegmentSeeds seeds;
    seeds.click = Vec3{75, 95, 95};
    expectError(half, seeds, "no border");
}

} // namespace
} // namespace systole
