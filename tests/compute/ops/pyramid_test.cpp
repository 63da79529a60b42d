// The resolutions of a grid, and both frames of a pair at each of them.
#include "compute/ops/pyramid.h"
#include "compute/ops/resample.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

TEST(Pyramid, HalvesWhatIsFineAndLong) {
    const std::vector<PyramidLevel> levels = pyramidLevels({65, 40, 12}, {1, 1, 2}, 9);
    ASSERT_EQ(levels.size(), 3u); // then z is short, and x and y are coarser than it
    EXPECT_EQ(levels[1].size, (Size3{33, 20, 12}));
    EXPECT_EQ(levels[2].size, (Size3{17, 10, 12}));
    EXPECT_EQ(totalFactor(levels), (std::array{4, 4, 1}));
    EXPECT_DOUBLE_EQ(levels[2].spacing.x, 4);
    EXPECT_FLOAT_EQ(levels[0].scale()[2], 0.5f);
    EXPECT_EQ(pyramidLevels({65, 40, 12}, {1, 1, 2}, 2).size(), 2u);
}

TEST(Pyramid, HoldsScaledFramesAndTheirDecimations) {
    const Size3 size{20, 18, 16};
    test::TestVolume fixed = test::noiseVolume(size, 1), moving = test::noiseVolume(size, 2),
                     weight(size, [](double x, double, double) { return x / 20; });
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    input.incompressibility = weight.view();
    input.scale = {-2, 3};
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    Workspace space;
    Pyramid pyramid(pyramidLevels(size, {1, 1, 1}, 2), true, space);
    space.acquire(*ctx.pool);
    EXPECT_GT(pyramid.build(input, ctx), 0);
    ASSERT_EQ(pyramid.levels().size(), 2u);
    for (const std::size_t i : {std::size_t{0}, size.voxels() - 1})
        EXPECT_NEAR(pyramid.moving(0).data[i], (moving.voxels[i] + 2) * pyramidGrayRange / 5, 1e-3);
    std::vector<float> expected(pyramid.fixed(1).voxels());
    const VolumeView<float> coarse(expected.data(), pyramid.levels()[1].size);
    decimate(pyramid.fixed(0), {2, 2, 2}, coarse, ctx);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), pyramid.fixed(1).data));
    decimate(weight.view(), {2, 2, 2}, coarse, ctx);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), pyramid.weight(1).data));
}

} // namespace
} // namespace systole
