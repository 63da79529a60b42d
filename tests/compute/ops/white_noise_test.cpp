// The variance of white noise, and what trilinear interpolation takes of it.
#include "compute/ops/lost_noise.h"
#include "compute/ops/white_noise.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using test::TestVolume;

TEST(WhiteNoise, IsFoundOnTopOfSmoothStructure) {
    ExecResources resources(2);
    for (const Size3 size : {Size3{40, 36, 30}, Size3{90, 70, 1}, Size3{50, 2, 60}}) {
        SCOPED_TRACE(size.y);
        TestVolume image(size, test::waves), noise = test::noiseVolume(size, 5);
        EXPECT_LT(whiteNoise(image.view(), resources.context()), 1);
        for (const float deviation : {3.0f, 12.0f}) {
            TestVolume noisy = image;
            for (std::size_t i = 0; i < noisy.voxels.size(); ++i)
                noisy.voxels[i] += deviation * noise.voxels[i];
            const float variance = deviation * deviation;
            EXPECT_NEAR(whiteNoise(noisy.view(), resources.context()), variance, 0.08 * variance);
        }
    }
}

TEST(WhiteNoise, HasTheSameBitsForAnyNumberOfThreads) {
    TestVolume image = test::noiseVolume({41, 23, 17}, 3);
    ExecResources one(1), three(3);
    EXPECT_EQ(whiteNoise(image.view(), one.context()), whiteNoise(image.view(), three.context()));
}

TEST(WhiteNoise, HasTheSameBitsWithFusedProducts) {
    const Size3 size{19, 12, 7};
    const TestVolume image = test::noiseVolume(size, 3);
    const WhiteNoiseFilter filter(size);
    for (std::size_t i = 0; i < size.voxels(); ++i) {
        const auto x = static_cast<int>(i) % size.x, row = static_cast<int>(i) / size.x;
        if (filter.inside(x, row % size.y, row / size.y)) {
            ASSERT_EQ(filter.at<true>(image.voxels.data(), i),
                      filter.at<false>(image.voxels.data(), i));
        }
    }
}

TEST(WhiteNoise, NeedsThreeVoxelsAlongAnAxis) {
    ExecResources resources(1);
    TestVolume image = test::noiseVolume({2, 2, 1}, 3);
    EXPECT_EQ(whiteNoise(image.view(), resources.context()), 0);
}

/// The share that is left is the sum of the squares of the eight voxels' weights.
TEST(LostNoise, IsThatOfTheInterpolationsWeights) {
    const Size3 size{9, 8, 7};
    for (const Position p : {Position{3.25f, 4.5f, 2.125f}, Position{3, 4, 2},
                             Position{0, 6.75f, 6}, Position{-2, 3.5f, 9}, Position{8, 7, 6}}) {
        const TrilinearSample s(size, p);
        double left = 0;
        for (int corner = 0; corner < 8; ++corner) {
            const auto weight = [&](int bit, float part) {
                return static_cast<double>(corner >> bit & 1 ? part : 1 - part);
            };
            const double w = weight(0, s.partX) * weight(1, s.partY) * weight(2, s.partZ);
            left += w * w;
        }
        EXPECT_NEAR(NoiseLoss(s).share, 1 - left, 1e-6);
    }
}

TEST(LostNoise, HasTheDerivativesOfTheShareAndNoneOnPlanesOfVoxels) {
    const Size3 size{9, 8, 7};
    const auto share = [&](Position p) {
        return static_cast<double>(NoiseLoss(TrilinearSample(size, p)).share);
    };
    const Position p{3.3f, 4.6f, 2.85f};
    const NoiseLoss found((TrilinearSample(size, p)));
    constexpr float h = 0.01f;
    const double expected[3] = {share({p.x + h, p.y, p.z}) - share({p.x - h, p.y, p.z}),
                                share({p.x, p.y + h, p.z}) - share({p.x, p.y - h, p.z}),
                                share({p.x, p.y, p.z + h}) - share({p.x, p.y, p.z - h})};
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(found.slope[axis], expected[axis] / (2 * static_cast<double>(h)), 1e-3);
    const NoiseLoss still(TrilinearSample(size, {3, 7, 2.5f}));
    EXPECT_EQ(still.slope[0], 0);
    EXPECT_EQ(still.slope[1], 0); // the last plane, too
    EXPECT_EQ(still.slope[2], 0); // a cell's middle, where the loss is largest
    EXPECT_EQ(still.share, 0.5f);
}

} // namespace
} // namespace systole
