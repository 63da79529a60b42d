// Contours of labels pulled by a point: nested balls, whose contours are known.
#include "compute/core/error.h"
#include "compute/surface/contour_pull.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {
namespace {

// Anisotropic and turned.
const Geometry grid({48, 40, 36}, {1, 1.2, 1.5}, {-5, 7, 2}, {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}});
const Vec3 middle = grid.indexToPhysical({23.5, 19.5, 17.5});
constexpr double chamber = 10, wall = 14;

std::vector<std::uint8_t> heart() {
    std::vector<std::uint8_t> labels(grid.voxels());
    VolumeView<std::uint8_t> view(labels.data(), grid.size());
    for (int z = 0; z < 36; ++z)
        for (int y = 0; y < 40; ++y)
            for (int x = 0; x < 48; ++x) {
                const Vec3 p = grid.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                const double r = length(p - middle);
                view(x, y, z) = r < chamber ? 1 : r < wall ? 2 : 0;
            }
    return labels;
}

std::uint8_t at(const std::vector<std::uint8_t>& labels, Vec3 lps) {
    const Vec3 index = grid.physicalToIndex(lps);
    return VolumeView<const std::uint8_t>(labels.data(), grid.size())(
        static_cast<int>(std::lround(index.x)), static_cast<int>(std::lround(index.y)),
        static_cast<int>(std::lround(index.z)));
}

class ContourPullTest : public ::testing::Test {
protected:
    /// Pulls in a slice perpendicular to the first index axis.
    ContourPull pull(const std::vector<std::uint8_t>& labels, Vec3 from, std::uint8_t label,
                     int axis = 0) {
        return ContourPull({labels.data(), grid.size()}, grid, from, axis, 5, label,
                           resources_.context());
    }
    static void pullTo(const ContourPull& pull, std::vector<std::uint8_t>& labels, Vec3 to) {
        pull.pullTo({labels.data(), grid.size()}, to);
    }
    ExecResources resources_{1};
    const std::vector<std::uint8_t> before_ = heart();
    std::vector<std::uint8_t> labels_ = before_;
};

TEST_F(ContourPullTest, OutwardsTheLabelGrowsThroughThePointAndTheFarSideStays) {
    const Vec3 out{0, 1, 0}; // direction of the first index axis
    const ContourPull contour = pull(labels_, middle + chamber * out, 1, 2);
    pullTo(contour, labels_, middle + (chamber + 5) * out);
    EXPECT_EQ(at(labels_, middle + (chamber + 3.5) * out), 1);
    EXPECT_EQ(at(labels_, middle + (chamber + 6.5) * out), 0);
    EXPECT_EQ(at(labels_, middle - (chamber - 1.5) * out), 1);
    EXPECT_EQ(at(labels_, middle - (chamber + 1.5) * out), 2);
    EXPECT_GT(std::ranges::count(labels_, 1), std::ranges::count(before_, 1));
}

TEST_F(ContourPullTest, InwardsWhatTheChamberLeavesBecomesTheWallBesideIt) {
    const Vec3 out{1, 0, 0};
    const ContourPull contour = pull(labels_, middle + chamber * out, 1);
    pullTo(contour, labels_, middle + (chamber - 5) * out);
    EXPECT_EQ(at(labels_, middle + (chamber - 2) * out), 2);
    EXPECT_EQ(at(labels_, middle), 1);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
        EXPECT_EQ(labels_[i] == 0, before_[i] == 0) << "the wall's outer border stays";
        EXPECT_TRUE(before_[i] != 2 || labels_[i] == 2);
    }
}

TEST_F(ContourPullTest, TheWallsContourIsItsOuterOneAndTheChamberStays) {
    const Vec3 out{0, 0, 1};
    const ContourPull contour = pull(labels_, middle + wall * out, 2);
    pullTo(contour, labels_, middle + (wall + 4) * out);
    EXPECT_EQ(at(labels_, middle + (wall + 2) * out), 2);
    pullTo(contour, labels_, middle + (chamber - 2) * out);
    EXPECT_EQ(at(labels_, middle + (wall - 1.5) * out), 0);
    EXPECT_EQ(std::ranges::count(labels_, 1), std::ranges::count(before_, 1));
}

TEST_F(ContourPullTest, OnlyTheLastPointCountsAndBackAtTheStartAllIsAsBefore) {
    const Vec3 out{0, 1, 0}, from = middle + chamber * out;
    const ContourPull contour = pull(labels_, from, 1, 2);
    std::vector<std::uint8_t> straight = before_;
    pullTo(contour, straight, from + 4 * out);
    pullTo(contour, labels_, from - 6 * out);
    pullTo(contour, labels_, from + 500 * out); // beyond reach and image
    pullTo(contour, labels_, from + 4 * out);
    EXPECT_EQ(labels_, straight);
    pullTo(contour, labels_, from);
    EXPECT_EQ(labels_, before_);
}

TEST_F(ContourPullTest, BesideTheContourOfTheSliceThereIsNothingToPull) {
    const Vec3 out{0, 0, 1};
    EXPECT_NO_THROW(pull(labels_, middle + (chamber + 1) * out, 1));
    EXPECT_NO_THROW(pull(labels_, middle + (chamber - 1) * out, 1));
    EXPECT_THROW(pull(labels_, middle + (chamber + 5) * out, 1), ComputeError);
    EXPECT_THROW(pull(labels_, middle - (chamber - 5) * out, 1), ComputeError);
    // The surface is near, but the slice through its top has no contour.
    EXPECT_THROW(pull(labels_, middle + (chamber + 1.5) * out, 1, 2), ComputeError);
}

TEST_F(ContourPullTest, ALabelWithoutAContourAndHostilePointsAreErrors) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::uint8_t> none(grid.voxels()), all(grid.voxels(), 1);
    EXPECT_THROW(pull(none, middle, 1), ComputeError);
    EXPECT_THROW(pull(all, middle, 1), ComputeError);
    EXPECT_THROW(pull(labels_, {nan, 0, 0}, 1), ComputeError);
    EXPECT_THROW(pull(labels_, {1e9, 0, 0}, 1), ComputeError);
    EXPECT_THROW(
        ContourPull({labels_.data(), grid.size()}, grid, middle, 0, nan, 1, resources_.context()),
        ComputeError);
    const ContourPull contour = pull(labels_, middle + Vec3{chamber, 0, 0}, 1);
    EXPECT_THROW(pullTo(contour, labels_, {nan, 0, 0}), ComputeError);
    EXPECT_EQ(labels_, before_);
}

} // namespace
} // namespace systole
