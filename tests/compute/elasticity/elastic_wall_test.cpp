// Motion carried from a wall's surface into it.
#include "compute/core/error.h"
#include "compute/elasticity/elastic_wall.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace systole::elasticity {
namespace {

constexpr Vec3 spacing{0.8, 1.1, 1.7};

/// A thick shell of a ball, and a displacement.
struct Shell {
    Size3 size{22, 20, 15};
    std::vector<std::uint8_t> wall = std::vector<std::uint8_t>(size.voxels());
    std::vector<float> values = std::vector<float>(3 * size.voxels());

    FieldView<float> field() { return {values.data(), size}; }
    VolumeView<const std::uint8_t> view() const { return {wall.data(), size}; }

    /// Motion in mm by position in mm.
    explicit Shell(const std::function<Vec3(Vec3)>& motion) {
        const VolumeView<std::uint8_t> mark(wall.data(), size);
        forEach([&](int x, int y, int z, Vec3 p) {
            const double r = length(p - Vec3{8.4, 10.5, 11.9});
            mark(x, y, z) = r > 2 && r < 7;
            const Vec3 u = motion(p);
            for (int axis = 0; axis < 3; ++axis)
                field().componentView(axis)(x, y, z) = static_cast<float>(u[axis] / spacing[axis]);
        });
    }
    void forEach(const std::function<void(int, int, int, Vec3)>& body) const {
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    body(x, y, z, {x * spacing.x, y * spacing.y, z * spacing.z});
    }
    /// No corner of the voxel lies on the surface.
    bool isInside(int x, int y, int z) const {
        for (int k = -1; k <= 1; ++k)
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i)
                    if (view()(x + i, y + j, z + k) == 0)
                        return false;
        return true;
    }
};

Vec3 linearMotion(Vec3 p) {
    return {0.3 + 0.1 * p.x - 0.02 * p.y, -0.05 * p.x + 0.07 * p.z, 0.2 * p.y - 0.1 * p.z - 1};
}

ElasticWallOptions optionsWith(double surfaceLength, bool multigrid) {
    ElasticWallOptions options;
    options.surfaceLength = surfaceLength;
    options.multigrid = multigrid;
    options.tolerance = 1e-10;
    return options;
}

class ElasticWall : public ::testing::Test {
protected:
    ExecResources resources{2};
    ExecContext ctx = resources.context();
};

TEST_F(ElasticWall, LinearMotionOfTheSurfaceFillsTheInside) {
    for (const bool multigrid : {true, false}) {
        Shell shell(linearMotion);
        const std::vector<float> truth = shell.values;
        int spoilt = 0;
        shell.forEach([&](int x, int y, int z, Vec3) {
            if (shell.view()(x, y, z) == 0 || !shell.isInside(x, y, z))
                return;
            ++spoilt;
            for (int axis = 0; axis < 3; ++axis)
                shell.field().componentView(axis)(x, y, z) += 2;
        });
        EXPECT_GT(spoilt, 100);
        const ElasticWallReport report =
            carryIntoWall(shell.view(), spacing, shell.field(), optionsWith(0, multigrid), ctx);
        for (std::size_t i = 0; i < truth.size(); ++i)
            ASSERT_NEAR(shell.values[i], truth[i], 1e-5) << i;
        EXPECT_GT(report.meanChange, 0);
        EXPECT_GT(report.iterations, 0);
        EXPECT_EQ(report.levels > 0, multigrid);
    }
}

TEST_F(ElasticWall, WhatIsElasticAlreadyStays) {
    Shell shell(linearMotion);
    const std::vector<float> truth = shell.values;
    for (const double surfaceLength : {0.0, 2.0}) {
        const ElasticWallReport report = carryIntoWall(shell.view(), spacing, shell.field(),
                                                       optionsWith(surfaceLength, true), ctx);
        // Springs give way where the strain pulls at them.
        const double allowed = surfaceLength > 0 ? 0.4 : 1e-5;
        EXPECT_LT(report.largestChange, allowed);
        for (std::size_t i = 0; i < truth.size(); ++i)
            ASSERT_NEAR(shell.values[i], truth[i], allowed) << i;
    }
}

TEST_F(ElasticWall, OutsideNothingChanges) {
    Shell shell([](Vec3 p) { return Vec3{std::sin(p.x), std::cos(p.y), std::sin(p.z + p.x)}; });
    const std::vector<float> before = shell.values;
    carryIntoWall(shell.view(), spacing, shell.field(), {}, ctx);
    for (int axis = 0; axis < 3; ++axis)
        for (std::size_t i = 0; i < shell.size.voxels(); ++i)
            if (shell.wall[i] == 0) {
                const std::size_t at = static_cast<std::size_t>(axis) * shell.size.voxels() + i;
                ASSERT_EQ(shell.values[at], before[at]);
            }
}

TEST_F(ElasticWall, RefusesWhatHasNoSolution) {
    Shell shell(linearMotion);
    const std::vector<std::uint8_t> none(shell.size.voxels(), 0);
    EXPECT_THROW(carryIntoWall({none.data(), shell.size}, spacing, shell.field(), {}, ctx),
                 ComputeError);
    EXPECT_THROW(carryIntoWall({none.data(), {2, 2, 2}}, spacing, shell.field(), {}, ctx),
                 ComputeError);
    // The first voxel of the wall lies on its surface.
    const auto first = std::ranges::find(shell.wall, 1) - shell.wall.begin();
    shell.values[static_cast<std::size_t>(first)] = NAN;
    EXPECT_THROW(carryIntoWall(shell.view(), spacing, shell.field(), {}, ctx), ComputeError);
}

} // namespace
} // namespace systole::elasticity
