// Wide Gaussian smoothing on a grid of half the resolution, against the Gaussian itself.
#include "compute/ops/smooth.h"
#include "compute/ops/smooth_halved.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace systole {
namespace {

using test::TestVolume;

class SmoothHalved : public testing::Test {
protected:
    TestVolume smoothed(TestVolume v, Vec3 sigma) const {
        smoothHalved(
            v.view(), sigma,
            [&](VolumeView<float> part, Vec3 left) { smoothGaussian(part, part, left, ctx); }, ctx);
        return v;
    }
    TestVolume exactly(TestVolume v, Vec3 sigma) const {
        smoothGaussian(v.view(), v.view(), sigma, ctx);
        return v;
    }
    ExecResources resources{2};
    ExecContext ctx = resources.context();
};

double sumOfSquares(const std::vector<float>& values) {
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

/// Far from the border a single voxel becomes a bump of the same sum around the same middle, with
/// the Gaussian's variance: on the mean over both voxels of a cell, which differ where cells have
/// odd number.
TEST_F(SmoothHalved, SpreadsAVoxelAsTheGaussianDoes) {
    for (const int n : {64, 65})
        for (const int axis : {0, 1, 2})
            for (const double sigma : {3.0, 4.0, 6.0}) {
                Size3 size{5, 5, 5};
                (axis == 0 ? size.x : axis == 1 ? size.y : size.z) = n;
                double variance = 0;
                for (const int at : {31, 32}) {
                    Vec3 wide;
                    (axis == 0 ? wide.x : axis == 1 ? wide.y : wide.z) = sigma;
                    // A column across the axis, so that the others don't matter.
                    const TestVolume bump = smoothed({size,
                                                      [&](double x, double y, double z) {
                                                          const double p[3] = {x, y, z};
                                                          return p[axis] == at ? 1.0 : 0.0;
                                                      }},
                                                     wide);
                    double sum = 0, first = 0, second = 0;
                    for (int i = 0; i < n; ++i) {
                        const std::size_t stride = axis == 0 ? 1 : axis == 1 ? 5 : 25;
                        const double value = bump.voxels[static_cast<std::size_t>(i) * stride];
                        sum += value;
                        first += value * (i - at);
                        second += value * (i - at) * (i - at);
                    }
                    EXPECT_NEAR(sum, 1, 0.02) << n << " " << axis << " " << sigma;
                    EXPECT_LE(std::abs(first / sum), 0.51);
                    variance += (second / sum - first / sum * first / sum) / 2;
                }
                EXPECT_NEAR(variance, sigma * sigma, 0.04 * sigma * sigma) << n << " " << axis;
            }
}

/// The result for noise, the hardest input, differs by as much as if every voxel had been moved to
/// the middle of its cell, half a voxel along each axis: by 15 %. Structures are wider.
TEST_F(SmoothHalved, IsCloseToTheGaussian) {
    constexpr int border = 13; // beyond it voxels are repeated, one by one or as cells
    for (const Size3 size : {Size3{48, 40, 36}, Size3{33, 47, 39}})
        for (const bool noisy : {true, false}) {
            const TestVolume v =
                noisy ? test::noiseVolume(size, 3)
                      : TestVolume(size, [](double x, double y, double z) {
                            return std::sin(0.35 * x + 0.1 * y) * std::cos(0.3 * z - 0.2 * y);
                        });
            TestVolume fast = smoothed(v, {4, 4, 4}), exact = exactly(v, {4, 4, 4});
            double difference = 0, all = 0;
            for (int z = border; z < size.z - border; ++z)
                for (int y = border; y < size.y - border; ++y)
                    for (int x = border; x < size.x - border; ++x) {
                        const double is = fast.view()(x, y, z), wanted = exact.view()(x, y, z);
                        difference += (is - wanted) * (is - wanted);
                        all += wanted * wanted;
                    }
            EXPECT_LT(std::sqrt(difference / all), noisy ? 0.2 : 0.06) << size.x;
            EXPECT_GT(difference, 0);
        }
}

/// An image stored the other way round gives the same the other way round.
TEST_F(SmoothHalved, DoesNotDependOnTheDirectionOfAnAxis) {
    for (const Size3 size : {Size3{24, 26, 22}, Size3{25, 27, 23}, Size3{2, 1, 30}}) {
        TestVolume noise = test::noiseVolume(size, 4);
        const TestVolume there = smoothed(noise, {4, 3, 5});
        std::reverse(noise.voxels.begin(), noise.voxels.end());
        TestVolume back = smoothed(noise, {4, 3, 5});
        std::reverse(back.voxels.begin(), back.voxels.end());
        EXPECT_LT(test::largestDifference(there.voxels, back.voxels), 2e-6);
    }
}

TEST_F(SmoothHalved, LeavesNarrowGaussiansAndThinAxesToTheGaussian) {
    const TestVolume noise = test::noiseVolume({20, 21, 9}, 5);
    const Vec3 paper{2.33, 2.33, 2.33};
    EXPECT_EQ(smoothed(noise, paper).voxels, exactly(noise, paper).voxels);
    // The axis of thick slices isn't halved: each plane is smoothed as it is alone.
    TestVolume onePlane(noise.size, [&](double x, double y, double z) {
        return z == 4 ? std::sin(x) + std::cos(y) : 0.0;
    });
    const TestVolume result = smoothed(onePlane, {4, 4, 0});
    for (std::size_t i = 0; i < result.voxels.size(); ++i) {
        if (i / 420 != 4) {
            ASSERT_EQ(result.voxels[i], 0);
        }
    }
    EXPECT_GT(sumOfSquares(result.voxels), 0);
}

TEST_F(SmoothHalved, TakesTheScratchThatItSays) {
    for (const Size3 size : {Size3{32, 30, 28}, Size3{31, 9, 1}}) {
        ExecResources fresh(2);
        ctx = fresh.context();
        smoothed(test::noiseVolume(size, 6), {4, 4, 0});
        EXPECT_EQ(fresh.pool().usage().peakBytes, smoothHalvedScratch(size, {4, 4, 0}));
    }
}

} // namespace
} // namespace systole
