// Slices of a signed map as pictures: orientation, colors, scale.
#include "app/kit/map_slice.h"
#include "render/base/colormaps.h"
#include "tests/support/sphere_mesh.h"
#include "tests/support/volume_of.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace systole {
namespace {

class MapSliceTest : public testing::Test {
protected:
    Volume ramp(const Geometry& grid) {
        return test::volumeOf(grid, pool_,
                              [](int x, int y, int z) { return x + 10 * y + 100 * z; });
    }
    /// The value whose color a pixel has, if the scale ends at `maximum`.
    static void expectColor(const RgbaImage& image, int x, int y, double value, double maximum) {
        const Color color = colorAt(ColorMap::Diverging, 0.5 - 0.5 * value / maximum);
        const std::uint8_t* const pixel = image.at(x, y);
        EXPECT_NEAR(pixel[0], 255 * static_cast<double>(color.red), 3) << x << ", " << y;
        EXPECT_NEAR(pixel[1], 255 * static_cast<double>(color.green), 3) << x << ", " << y;
        EXPECT_NEAR(pixel[2], 255 * static_cast<double>(color.blue), 3) << x << ", " << y;
        EXPECT_EQ(pixel[3], 255);
    }
    BufferPool pool_;
};

TEST_F(MapSliceTest, TheRadiologicalConventionHolds) {
    const Volume map = ramp(Geometry({3, 4, 5}, {1, 2, 3}));
    const RgbaImage axial = pictureOf(map, {ViewKind::Axial, 2}, 500);
    ASSERT_EQ(axial.width, 3);
    ASSERT_EQ(axial.height, 4);
    for (int y = 0; y < 4; ++y) // anterior above, the patient's right on the left
        for (int x = 0; x < 3; ++x)
            expectColor(axial, x, y, x + 10 * y + 200, 500);
    const RgbaImage coronal = pictureOf(map, {ViewKind::Coronal, 1}, 500);
    ASSERT_EQ(coronal.height, 5);
    for (int y = 0; y < 5; ++y) // superior above
        for (int x = 0; x < 3; ++x)
            expectColor(coronal, x, y, x + 10 + 100 * (4 - y), 500);
    const RgbaImage sagittal = pictureOf(map, {ViewKind::Sagittal, 0}, 500);
    ASSERT_EQ(sagittal.width, 4);
    expectColor(sagittal, 3, 4, 30, 500);
    EXPECT_EQ(slicesAcross(map.geometry, ViewKind::Coronal), 4);
    EXPECT_DOUBLE_EQ(heightOverWidth(map.geometry, ViewKind::Coronal), 15.0 / 3);
}

TEST_F(MapSliceTest, APlaceIsThePointThatLiesThere) {
    // Index x runs to the right of the patient, y superior, z posterior.
    const Geometry grids[] = {
        Geometry({3, 4, 5}, {1, 2, 3}, {7, -3, 2}),
        Geometry({3, 4, 5}, {1, 2, 3}, {7, -3, 2}, {{{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}}})};
    for (const Geometry& grid : grids)
        for (const ViewKind plane : {ViewKind::Axial, ViewKind::Coronal, ViewKind::Sagittal}) {
            const Vec3 point = grid.indexToPhysical({1.3, 2.2, 3.4});
            const MapSlice slice = sliceThrough(grid, plane, point);
            const Vec3 there = inSlice(grid, slice, point);
            EXPECT_LT(length(there - point), 1.3);
            const PicturePlace place = placeOf(grid, plane, point);
            EXPECT_LT(length(pointAt(grid, slice, place) - there), 1e-9);
        }
    // The middle of the first pixel: anterior, the patient's right.
    const PicturePlace corner =
        placeOf(grids[0], ViewKind::Axial, grids[0].indexToPhysical({0, 0, 0}));
    EXPECT_DOUBLE_EQ(corner.right, 0.5 / 3);
    EXPECT_DOUBLE_EQ(corner.down, 0.5 / 4);
    // Beyond the grid its outer slice is shown.
    EXPECT_EQ(sliceThrough(grids[0], ViewKind::Axial, {0, 0, 1000}).index, 4);
}

TEST_F(MapSliceTest, ABallLeavesItsCircleOnASlice) {
    const Vec3 center{4.3, 5.1, 6.7};
    const TriangleMesh ball = sphereMesh(center, 4, 48);
    // Index x runs to the right of the patient, y superior, z posterior.
    const Geometry grids[] = {
        Geometry({20, 10, 8}, {1, 1.5, 2}, {-5, -2, 0}),
        Geometry({20, 10, 8}, {1, 1.5, 2}, {12, -3, 0}, {{{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}}})};
    for (const Geometry& grid : grids)
        for (const ViewKind plane : {ViewKind::Axial, ViewKind::Coronal, ViewKind::Sagittal}) {
            const MapSlice slice = sliceThrough(grid, plane, center);
            const auto contour = contourIn(grid, slice, ball);
            ASSERT_GT(contour.size(), 48u);
            const double across =
                // Distance of the ball's center from the slice.
                length(inSlice(grid, slice, center) - center);
            double around = 0;
            for (const PictureLine& line : contour) {
                const Vec3 from = pointAt(grid, slice, line[0]), to = pointAt(grid, slice, line[1]);
                EXPECT_NEAR(length(from - center), 4, 0.01);
                EXPECT_NEAR(length(to - center), 4, 0.01);
                around += length(to - from);
            }
            const double radius = std::sqrt(4 * 4 - across * across);
            EXPECT_NEAR(around, 2 * std::numbers::pi * radius, 0.02 * around);
        }
    EXPECT_TRUE(contourIn(grids[0], {ViewKind::Sagittal, 0}, ball).empty()); // it lies beside it
}

TEST_F(MapSliceTest, AxesThatRunTheOtherWayAreTurned) {
    // Index x runs to the right of the patient, y superior, z posterior.
    const Geometry grid({3, 4, 5}, {1, 1, 1}, {}, {{{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}}});
    const Volume map = ramp(grid);
    const RgbaImage axial = pictureOf(map, {ViewKind::Axial, 1}, 500);
    ASSERT_EQ(axial.width, 3);
    ASSERT_EQ(axial.height, 5);
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 3; ++x)
            expectColor(axial, x, y, (2 - x) + 10 + 100 * y, 500);
    // Slices beyond the grid are its last one.
    EXPECT_EQ(pictureOf(map, {ViewKind::Axial, 99}, 500).pixels,
              pictureOf(map, {ViewKind::Axial, 3}, 500).pixels);
}

TEST_F(MapSliceTest, NoneIsNeutralAndTheEndsAreTheColorsEnds) {
    const Volume map = test::volumeOf(Geometry({3, 1, 1}, {1, 1, 1}), pool_,
                                      [](int x, int, int) { return 0.02 * (x - 1); });
    const RgbaImage image = pictureOf(map, {ViewKind::Axial, 0}, 0.01);
    expectColor(image, 0, 0, -0.01, 0.01);
    expectColor(image, 1, 0, 0, 0.01);
    expectColor(image, 2, 0, 0.01, 0.01);
}

TEST_F(MapSliceTest, OneScaleForAllMapsLeavesOutTheRarestValues) {
    const auto constant = [&](double value) {
        return std::make_shared<const Volume>(
            test::volumeOf(Geometry({20, 20, 20}, {1, 1, 1}), pool_, [=](int x, int y, int z) {
                return x + y + z == 0 ? -100.0 : value * (x % 2 ? 1 : -1);
            }));
    };
    EXPECT_NEAR(commonMaximum({constant(0.0013), nullptr, constant(0.042)}), 0.05, 1e-9);
    EXPECT_GT(commonMaximum({}), 0);
    EXPECT_GT(commonMaximum({constant(0)}), 0);
}

} // namespace
} // namespace systole
