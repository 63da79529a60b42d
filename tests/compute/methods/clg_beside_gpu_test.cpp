// Estimation on the device next to other work, and in one kernel for several on small levels: bit
// for bit equal to the same work in order.
#include "tests/compute/methods/clg_device_steps.h"
#include "tests/compute/methods/clg_gpu_support.h"

namespace systole {
namespace {

using test::Values;

struct Case {
    const char* name;
    Size3 size;
    Changes changes = {};
    Vec3 spacing{1, 1, 1};
};

class ClgBeside : public ClgOnDevice, public testing::WithParamInterface<Case> {};

/// Where kernels are timed one by one, all of them run in order.
TEST_P(ClgBeside, IsTheSameInOrder) {
    const Case& c = GetParam();
    Pair pair(c.size);
    const MotionInput input = inputOf(pair, c.spacing);
    const auto estimator = makeClg(parameters("default", c.changes), Backend::Cuda);
    ExecContext timed = context();
    KernelProfile profile;
    timed.profile = &profile;
    timed.profileKernels = true;
    TestField inOrder(c.size);
    estimator->estimate(input, inOrder.view(), timed);
    EXPECT_GT(test::largestDifference(inOrder.values, TestField(c.size).values), 1);
    // Launched step by step, then as a graph, which is replayed.
    for (int run = 0; run < 4; ++run) {
        TestField beside(c.size);
        estimator->estimate(input, beside.view(), context());
        EXPECT_TRUE(beside.values == inOrder.values) << run;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Grids, ClgBeside,
    testing::Values(Case{"Even", {64, 48, 40}}, Case{"Odd", {61, 37, 45}},
                    // Halves of odd numbers of voxels, behind which lie even rows.
                    Case{"EvenTrendOfOddMotion", {90, 77, 61}},
                    Case{"EvenAboveOdd", {50, 45, 41}, {{"adaptive", "off"}, {"prefilter", "1"}}},
                    Case{"OneLevel", {40, 36, 32}, {{"levels", "1"}}},
                    Case{"TwoLevels", {40, 36, 32}, {{"levels", "2"}}},
                    Case{"ThickSlices", {48, 48, 12}, {}, {1.25, 1.25, 3}},
                    Case{"WholeGrid", {40, 36, 32}, {{"half-grid", "off"}}},
                    Case{"NoTrend", {40, 36, 32}, {{"trend-share", "0"}}},
                    Case{"FixedBalance", {40, 36, 32}, {{"adaptive", "off"}, {"prefilter", "1"}}},
                    Case{"Textures", {40, 36, 32}, {{"variant-warp", "texture"}}}),
    [](const auto& info) { return std::string(info.param.name); });

using ClgSmallLevels = test::OnDevice;

/// Sizes of one tile, of several, and whose last tiles have few voxels; radii up to those that
/// tiles and stretches are built for, and beyond.
TEST_F(ClgSmallLevels, TilesAndStretchesSmoothWithTheBitsOfThePasses) {
    const int variant = smoothFamily.standardVariant();
    for (const Size3 size :
         {Size3{16, 16, 8}, Size3{33, 21, 13}, Size3{5, 40, 64}, Size3{1, 7, 3}, Size3{32, 32, 32},
          Size3{90, 3, 41}, Size3{65, 130, 43}, Size3{9, 20, 170}})
        for (const Vec3 sigma :
             {Vec3{0.6, 0.6, 0.6}, Vec3{1.3, 1.3, 1.3}, Vec3{2, 2, 2}, Vec3{2.6, 2.6, 1.1},
              Vec3{1.3, 2.6, 0.3}, Vec3{4, 4, 4}, Vec3{6, 6, 6}, Vec3{8, 3, 0}, Vec3{9, 9, 9}}) {
            constexpr int count = 3;
            const Values in = test::noiseVolume({size.x, size.y, count * size.z}, 5).voxels;
            const Values inPasses =
                test::smoothOnDevice(*cuda, variant, in, count, size, sigma, 2 * count);
            EXPECT_TRUE(test::smoothedOnDevice(*cuda, variant, in, count, size, sigma) == inPasses)
                << size.x << " " << size.y << " sigma " << sigma.x;
        }
}

} // namespace
} // namespace systole
