// The winner of a region, its sub-voxel place and how much better it is than others.
#include "compute/landmarks/region_match.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <limits>

namespace systole {
namespace {

constexpr Size3 frame{100, 100, 100};
constexpr Voxel inside{50, 50, 50};

TEST(RegionMatch, FindsTheVertexOfAParaboloid) {
    test::TestVolume region({9, 7, 5}, [](double x, double y, double z) {
        return 3 + 2 * std::pow(x - 5.3, 2) + std::pow(y - 1.6, 2) + 5 * std::pow(z - 2.1, 2);
    });
    const sest::RegionMatch match = sest::bestOfRegion(region.view(), inside, frame);
    ASSERT_TRUE(match.found);
    EXPECT_FALSE(match.atEdge);
    EXPECT_EQ(match.offset, (Voxel{1, -1, 0}));
    EXPECT_NEAR(match.subVoxel.x, 1.3, 1e-6);
    EXPECT_NEAR(match.subVoxel.y, -1.4, 1e-6);
    EXPECT_NEAR(match.subVoxel.z, 0.1, 1e-6);
    // The best 2 voxels away or more is at y = 4 (z = 2, x = 5): 3 + 2·0.09 + 2.4² + 5·0.01.
    EXPECT_NEAR(match.ratio, std::sqrt((3.18 + 0.16 + 0.05) / (3.18 + 5.76 + 0.05)), 1e-6);
}

TEST(RegionMatch, TheFirstOfEqualsWins) {
    test::TestVolume region({5, 5, 5}, [](double, double, double) { return 7; });
    const sest::RegionMatch match = sest::bestOfRegion(region.view(), inside, frame);
    EXPECT_EQ(match.offset, (Voxel{-2, -2, -2}));
    EXPECT_EQ(match.ratio, 1);
    region.view()(3, 1, 4) = region.view()(1, 2, 4) = 0;
    EXPECT_EQ(sest::bestOfRegion(region.view(), inside, frame).offset, (Voxel{1, -1, 2}));
    EXPECT_EQ(sest::bestOfRegion(region.view(), inside, frame).ratio, 1);
}

TEST(RegionMatch, TheEdgeCountsOnlyWhereTheFrameGoesOn) {
    test::TestVolume region({5, 5, 1}, [](double x, double y, double) { return x + y * y; });
    EXPECT_TRUE(sest::bestOfRegion(region.view(), inside, frame).atEdge);
    EXPECT_FALSE(sest::bestOfRegion(region.view(), {2, 2, 50}, frame).atEdge);
    EXPECT_TRUE(sest::bestOfRegion(region.view(), {2, 3, 50}, frame).atEdge);
}

TEST(RegionMatch, NoCandidateIsNoMatch) {
    const float none = std::numeric_limits<float>::infinity();
    test::TestVolume region({3, 3, 3}, [=](double, double, double) { return none; });
    EXPECT_FALSE(sest::bestOfRegion(region.view(), inside, frame).found);
    region.voxels.assign(27, std::numeric_limits<float>::quiet_NaN());
    EXPECT_FALSE(sest::bestOfRegion(region.view(), inside, frame).found);
    // A single one has no other to compare with and no parabola.
    region.voxels.assign(27, none);
    region.view()(1, 1, 1) = 4;
    const sest::RegionMatch match = sest::bestOfRegion(region.view(), inside, frame);
    EXPECT_TRUE(match.found);
    EXPECT_EQ(match.ratio, 0);
    EXPECT_EQ(match.subVoxel, (Vec3{0, 0, 0}));
}

} // namespace
} // namespace systole
