// The shape through three points against the volumes of its half ellipsoids.
#include "compute/cardiac/point_shell.h"
#include "compute/core/error.h"
#include "tests/compute/cardiac/cardiac_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace systole::cardiac {
namespace {

using ::testing::HasSubstr;

double milliliters(const TissueMap& map, Tissue tissue) {
    const TissueVoxels voxels = largestPiece(map, tissue);
    return voxels.voxelMilliliters() * static_cast<double>(voxels.count());
}

/// Volume of half an ellipsoid of revolution, ml.
double half(double radius, double height) {
    return 2.0 / 3 * std::numbers::pi * radius * radius * height / 1000;
}

/// A grid of cubes of `spacing` around a heart whose ring lies in the origin.
Geometry gridOf(double spacing) {
    const int n = static_cast<int>(std::lround(140 / spacing));
    return {{n, n, n}, {spacing, spacing, spacing}, {-70, -70, -110}};
}

TEST(ShellOfPoints, EndsAtTheApexAndGoesThroughTheInsertion) {
    const Vec3 apex{0, 0, -80}, insertion{0, -33, -20};
    const TissueMap map = shellOfPoints(gridOf(1), {apex, Vec3{}, insertion});
    const auto at = [&](Vec3 p) {
        const Vec3 i = map.grid.physicalToIndex(p);
        const Size3 size = map.grid.size();
        return map.at[static_cast<std::size_t>(
            std::lround(i.x) + size.x * (std::lround(i.y) + size.y * std::lround(i.z)))];
    };
    EXPECT_EQ(at(apex + Vec3{0, 0, 1.5}), Tissue::Cavity);
    EXPECT_EQ(at(apex - Vec3{0, 0, 1.5}), Tissue::Wall);
    EXPECT_EQ(at({0, 0, -0.6}), Tissue::Cavity);
    EXPECT_EQ(at({0, 0, 0.6}), Tissue::Other);
    EXPECT_EQ(at(insertion + Vec3{0, 1.5, 0}), Tissue::Wall);
    EXPECT_EQ(at(insertion - Vec3{0, 1.5, 0}), Tissue::Other);
    // Its thickness from what is found along z, and with it all else.
    const double cavity = milliliters(map, Tissue::Cavity),
                 heart = cavity + milliliters(map, Tissue::Wall);
    const double radius = std::sqrt(cavity / half(1, 80)), ball = std::cbrt(radius * radius * 40),
                 thickness = 250 / ball;
    EXPECT_NEAR(heart, half(radius + thickness, 80 + thickness), 0.01 * heart);
    EXPECT_NEAR(std::hypot(33 / (radius + thickness), 20 / (80 + thickness)), 1, 0.01);
}

TEST(ShellOfPoints, AQuarterOfTheSizeIsASixtyFourthOfTheVolume) {
    const TissueMap whole = shellOfPoints(gridOf(2), {Vec3{0, 0, -60}, Vec3{}, Vec3{0, -30, -10}}),
                    small =
                        shellOfPoints(gridOf(0.5), {Vec3{0, 0, -15}, Vec3{}, Vec3{0, -7.5, -2.5}});
    for (const Tissue tissue : {Tissue::Cavity, Tissue::Wall}) {
        const double of = milliliters(whole, tissue);
        EXPECT_NEAR(64 * milliliters(small, tissue), of, 0.02 * of);
    }
}

TEST(ShellOfPoints, RefusesInOneSentence) {
    const auto refusal = [](const GivenPoints& points) -> std::string {
        try {
            shellOfPoints(gridOf(4), points);
            return "";
        } catch (const ComputeError& error) {
            return error.what();
        }
    };
    EXPECT_THAT(refusal({Vec3{0, 0, -60}, Vec3{}, {}}), HasSubstr("all needed"));
    EXPECT_THAT(refusal({Vec3{}, Vec3{}, Vec3{0, -30, 0}}), HasSubstr("same point"));
    EXPECT_THAT(refusal({Vec3{0, 0, 900}, Vec3{0, 0, 960}, Vec3{0, -30, 940}}),
                HasSubstr("outside the grid"));
}

} // namespace
} // namespace systole::cardiac
