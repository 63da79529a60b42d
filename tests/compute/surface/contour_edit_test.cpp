// Edits of segmentations: what they change, and that they can be undone.
#include "compute/core/error.h"
#include "compute/surface/contour_edit.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

// Anisotropic and turned.
const Geometry grid({20, 24, 10}, {1, 1.5, 3}, {-5, 7, 2}, {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}});

Vec3 centerOf(int x, int y, int z) {
    return grid.indexToPhysical(
        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
}

struct Labels {
    std::vector<std::uint8_t> values = std::vector<std::uint8_t>(grid.voxels(), 0);
    VolumeView<std::uint8_t> view() { return {values.data(), grid.size()}; }
};

TEST(ContourEdit, ABallPaintsExactlyTheCentersWithinItsRadiusAndIsUndone) {
    Labels labels;
    labels.values[3] = 2;
    const std::vector<std::uint8_t> before = labels.values;
    const Brush brush{.center = centerOf(9, 11, 5), .radius = 5.2};
    EditChange change = paint(labels.view(), grid, brush);
    int painted = 0;
    for (int z = 0; z < 10; ++z)
        for (int y = 0; y < 24; ++y)
            for (int x = 0; x < 20; ++x) {
                const bool within = std::hypot(x - 9.0, 1.5 * (y - 11), 3.0 * (z - 5)) <= 5.2;
                EXPECT_EQ(labels.view()(x, y, z) == 1, within) << x << " " << y << " " << z;
                painted += within ? 1 : 0;
            }
    EXPECT_GT(painted, 50);
    const std::vector<std::uint8_t> after = labels.values;
    exchange(labels.view(), change);
    EXPECT_EQ(labels.values, before);
    exchange(labels.view(), change);
    EXPECT_EQ(labels.values, after);
}

TEST(ContourEdit, ADiskStaysInItsSliceAndErasesItsLabelAlone) {
    Labels labels;
    for (std::size_t i = 0; i < labels.values.size(); ++i)
        labels.values[i] = static_cast<std::uint8_t>(1 + i % 2);
    const std::vector<std::uint8_t> before = labels.values;
    Brush brush{.center = grid.indexToPhysical({9, 11, 5.3}), .radius = 4};
    brush.disk = true;
    brush.erase = true;
    ASSERT_FALSE(paint(labels.view(), grid, brush).empty());
    for (int z = 0; z < 10; ++z)
        for (int y = 0; y < 24; ++y)
            for (int x = 0; x < 20; ++x) {
                const std::size_t i = labels.view().offset(x, y, z);
                const bool within =
                    z == 5 && std::hypot(x - 9.0, 1.5 * (y - 11)) <= 4 && before[i] == 1;
                EXPECT_EQ(labels.values[i], within ? 0 : before[i]);
            }
}

TEST(ContourEdit, WhatChangesNothingIsNoChange) {
    Labels labels;
    Brush brush{.center = centerOf(100, 100, 100), .radius = 4};
    EXPECT_TRUE(paint(labels.view(), grid, brush).empty());
    brush.center = centerOf(5, 5, 5);
    brush.erase = true;
    EXPECT_TRUE(paint(labels.view(), grid, brush).empty());
    brush.center.x = NAN;
    EXPECT_TRUE(paint(labels.view(), grid, brush).empty());
}

TEST(ContourEdit, APulledContourPassesThroughThePointAndStaysElsewhere) {
    const Geometry cubes({40, 40, 40}, {1, 1, 1});
    test::TestVolume phi(cubes.size(), [](double x, double y, double z) {
        return std::hypot(x - 20, y - 20, z - 20) - 10;
    });
    const std::vector<float> before = phi.voxels;
    pullContour(phi.view(), cubes, {30, 20, 20}, {33, 20, 20}, 4);
    EXPECT_NEAR(phi.view()(33, 20, 20), 0, 1e-4);
    EXPECT_LT(phi.view()(31, 20, 20), 0);
    // The other side is as it was.
    EXPECT_EQ(phi.view()(10, 20, 20), before[phi.view().offset(10, 20, 20)]);
    EXPECT_EQ(phi.view()(20, 32, 20), before[phi.view().offset(20, 32, 20)]);
    // Inwards.
    std::ranges::copy(before, phi.voxels.begin());
    pullContour(phi.view(), cubes, {30, 20, 20}, {27, 20, 20}, 4);
    EXPECT_NEAR(phi.view()(27, 20, 20), 0, 1e-4);
}

TEST(ContourEdit, RefusesWhatMakesNoEdit) {
    Labels labels;
    EXPECT_THROW(paint(labels.view(), grid, {.center = {}, .radius = 0}), ComputeError);
    EXPECT_THROW(paint(labels.view(), grid, {.center = {}, .radius = NAN}), ComputeError);
    EXPECT_THROW(paint(labels.view(), grid, {.center = {}, .radius = 3, .axis = 3}), ComputeError);
    test::TestVolume phi(grid.size(), [](double x, double, double) { return x; });
    EXPECT_THROW(pullContour(phi.view(), grid, centerOf(5, 5, 5), centerOf(5, 5, 5), -1),
                 ComputeError);
    EXPECT_THROW(pullContour(phi.view(), grid, centerOf(5, 5, 5), centerOf(90, 5, 5), 2),
                 ComputeError);
    EditChange foreign{VoxelBox::whole({50, 50, 50}), std::vector<std::uint8_t>(125000)};
    EXPECT_THROW(exchange(labels.view(), foreign), ComputeError);
}

} // namespace
} // namespace systole
