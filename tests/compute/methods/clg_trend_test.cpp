// The trend that smoothness leaves free: its mean and the grid it is found on.
#include "compute/methods/clg/trend.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using clg::trendGrid;
using clg::TrendGrid;
using clg::trendGrids;

/// Σ k^power · weight
double moment(const std::vector<float>& taps, int power) {
    const int radius = static_cast<int>(taps.size() / 2);
    double sum = 0;
    for (int k = -radius; k <= radius; ++k)
        sum += std::pow(k, power) * static_cast<double>(taps[static_cast<std::size_t>(k + radius)]);
    return sum;
}

/// Smoothing a power by symmetric taps adds moments of even order to it.
TEST(CubicMean, KeepsPolynomialsUpToTheThirdOrder) {
    for (const double sigma : {0.4, 1.0, 2.5, 10.0}) {
        const int radius = gaussianRadius(sigma);
        const std::vector<float> taps = cubicMeanTaps(sigma, radius);
        EXPECT_NEAR(moment(taps, 0), 1, 1e-5) << sigma;
        EXPECT_NEAR(moment(taps, 2), 0, 1e-5 * sigma * sigma + 1e-6) << sigma;
        // Sampled at whole voxels a Gaussian of 0.4 voxel has half of its variance.
        EXPECT_GT(moment(gaussianTaps(sigma, radius), 2), 0.5 * sigma * sigma)
            << "a Gaussian doesn't";
    }
    EXPECT_EQ(cubicMeanTaps(0, 0), std::vector<float>{1});
}

TEST(TrendGrid, IsTheFirstOneWhereTheMeanIsNarrow) {
    const std::vector<PyramidLevel> levels = pyramidLevels({128, 96, 80}, {1, 1, 1}, 4);
    const TrendGrid fine =
        trendGrid(levels, 0, {0, 0.125}); // sigma 16 of the finest level's voxels
    EXPECT_EQ(fine.level, 2u);
    EXPECT_EQ(fine.factor, (std::array{4, 4, 4}));
    EXPECT_EQ(fine.taps[0], cubicMeanTaps(4, gaussianRadius(4)));
    EXPECT_EQ(trendGrid(levels, 1, {0, 0.125}).taps[0], fine.taps[0]) << "the same length";
    EXPECT_EQ(trendGrid(levels, 3, {0, 0.125}).level, 3u);
    EXPECT_EQ(trendGrid(levels, 3, {0, 0.125}).taps[1], cubicMeanTaps(2, gaussianRadius(2)));
    EXPECT_EQ(trendGrid(levels, 0, {0, 1}).taps[0], cubicMeanTaps(10, gaussianRadius(10)))
        << "no grid is coarse enough";
    const TrendGrid own = trendGrid(levels, 0, {8, 0.125});
    EXPECT_EQ(own.level, 0u);
    EXPECT_EQ(own.taps[2], gaussianTaps(8, gaussianRadius(8)));
}

TEST(TrendGrid, AMillimeterIsTheSameAlongThickSlices) {
    const std::vector<PyramidLevel> levels = pyramidLevels({64, 64, 10}, {1.5, 1.5, 9}, 4);
    const TrendGrid grid = trendGrid(levels, 0, {0, 0.125}); // 12 mm
    EXPECT_EQ(grid.factor, (std::array{2, 2, 1}));
    EXPECT_EQ(grid.taps[0], cubicMeanTaps(4, gaussianRadius(4)));
    EXPECT_EQ(grid.taps[2].size(), 2u * 4 + 1) << "4/3 of a slice";
    EXPECT_TRUE(trendGrids(levels, {0, 0.125}).empty()) << "smoothness across slices is needed";
    EXPECT_EQ(trendGrids(levels, {5, 0}).size(), levels.size()) << "what is asked for counts";
}

} // namespace
} // namespace systole
