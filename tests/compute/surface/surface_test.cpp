// The way from a source to a surface, and what it refuses.
#include "compute/core/error.h"
#include "compute/surface/label_box.h"
#include "compute/surface/point_values.h"
#include "compute/surface/surface.h"
#include "tests/compute/surface/surface_support.h"
#include "tests/support/compute_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SurfaceWay : public ::testing::Test {
protected:
    static test::TestVolume labels() {
        const test::Ball ball{{10, 11, 9}, 6};
        return {{21, 22, 19}, [=](double x, double y, double z) {
                    return ball(x, y, z) < 0 ? 3 : x < 1 ? 1 : 0;
                }};
    }
    VolumeView<float> phi() { return {values.data(), {21, 22, 19}}; }

    std::vector<float> values = std::vector<float>(21 * 22 * 19);
    Geometry geometry{{21, 22, 19}, {1, 1, 1}, {5, 6, 7}};
    ExecResources resources{2};
    ExecContext ctx = resources.context();
};

TEST_F(SurfaceWay, LeadsFromALabelToItsMeasures) {
    test::TestVolume map = labels();
    distanceOfLabel(map.view(), 3, geometry, phi(), ctx);
    const Surface ball = surfaceOf(phi(), geometry, SurfaceEdge::Closed, ctx);
    EXPECT_EQ(ball.measures.eulerCharacteristic, 2);
    EXPECT_FALSE(ball.touchesEdge);
    distanceOfLabel(map.view(), 1, geometry, phi(), ctx);
    const Surface slab = surfaceOf(phi(), geometry, SurfaceEdge::Closed, ctx);
    EXPECT_TRUE(slab.touchesEdge);
    EXPECT_TRUE(slab.measures.closed());
}

TEST_F(SurfaceWay, NeedsOnlyTheBoxOfALabel) {
    test::TestVolume map = labels();
    distanceOfLabel(map.view(), 3, geometry, phi(), ctx);
    const auto tight = boxOfLabel(map.view(), 3);
    ASSERT_TRUE(tight);
    EXPECT_EQ(*tight, (VoxelBox{5, 6, 4, {11, 11, 11}})); // the ball without what touches its rim
    EXPECT_FALSE(boxOfLabel(map.view(), 7));
    EXPECT_EQ(hull({1, 2, 3, {1, 1, 1}}, {0, 5, 3, {2, 1, 4}}), (VoxelBox{0, 2, 3, {2, 4, 4}}));
    EXPECT_EQ(grownBy(*tight, 1e9, geometry), VoxelBox::whole(geometry.size()));
    const VoxelBox box = grownBy(*tight, 2.5, geometry);
    EXPECT_EQ(box, (VoxelBox{2, 3, 1, {17, 17, 17}}));
    const Geometry grid = geometryOf(box, geometry);
    EXPECT_EQ(grid.origin(), geometry.indexToPhysical({2, 3, 1}));
    std::vector<float> part(box.voxels()), inBox(box.voxels()), whole(box.voxels());
    copyBox(map.view(), box, {part.data(), box.size});
    distanceOfLabel({part.data(), box.size}, 3, grid, {inBox.data(), box.size}, ctx);
    copyBox(phi(), box, {whole.data(), box.size});
    for (std::size_t i = 0; i < whole.size(); ++i)
        ASSERT_NEAR(inBox[i], whole[i], 1e-5);
}

TEST_F(SurfaceWay, WithoutAMethodKeepsTheDistance) {
    test::TestVolume map = labels();
    distanceOfLabel(map.view(), 3, geometry, phi(), ctx);
    const std::vector<float> before = values;
    const SurfaceMethod& none = surfaceMethods().back();
    denoiseSurface(none, phi(), geometry, ParamSet(*none.parameters), ctx);
    EXPECT_EQ(values, before);
}

TEST_F(SurfaceWay, EveryMethodBringsANoisyBallCloserToTheBall) {
    const test::TestVolume ball({28, 28, 28}, [](double x, double y, double z) {
        return std::sqrt((x - 13.4) * (x - 13.4) + (y - 13.7) * (y - 13.7) +
                         (z - 13.5) * (z - 13.5)) -
               9;
    });
    const Geometry grid(ball.size, {1, 1, 1}, {});
    std::mt19937 generator(3);
    std::normal_distribution<float> noise(0, 0.4f);
    std::vector<float> noisy = ball.voxels;
    for (float& value : noisy)
        value += noise(generator);
    const auto error = [&](const std::vector<float>& phi) {
        double sum = 0;
        int count = 0;
        for (std::size_t i = 0; i < phi.size(); ++i)
            if (std::abs(ball.voxels[i]) < 1) {
                sum += std::abs(phi[i] - ball.voxels[i]);
                ++count;
            }
        return sum / count;
    };
    for (const SurfaceMethod& method : surfaceMethods()) {
        std::vector<float> phi = noisy;
        denoiseSurface(method, {phi.data(), ball.size}, grid, method.defaults(), ctx);
        if (method.run)
            EXPECT_LT(error(phi), 0.5 * error(noisy)) << method.name;
        else
            EXPECT_EQ(phi, noisy) << method.name;
    }
}

TEST_F(SurfaceWay, HasMethodsOfDistinctNames) {
    std::vector<std::string> names;
    for (const SurfaceMethod& method : surfaceMethods()) {
        EXPECT_THAT(names, ::testing::Not(::testing::Contains(method.name)));
        EXPECT_FALSE(method.title.empty());
        ASSERT_NE(method.parameters, nullptr);
        names.push_back(method.name);
    }
}

TEST_F(SurfaceWay, RefusesWhatHasNoBorder) {
    test::TestVolume map = labels();
    EXPECT_THAT([&] { distanceOfLabel(map.view(), 7, geometry, phi(), ctx); },
                ThrowsMessage<ComputeError>(HasSubstr("no voxel has the label 7")));
    const test::TestVolume full(map.size, [](double, double, double) { return 2; });
    test::TestVolume all = full;
    EXPECT_THAT([&] { distanceOfLabel(all.view(), 2, geometry, phi(), ctx); },
                ThrowsMessage<ComputeError>(HasSubstr("all voxels have the label 2")));
    EXPECT_THAT([&] { distanceOfThreshold(map.view(), 3, geometry, phi(), ctx); },
                ThrowsMessage<ComputeError>(HasSubstr("the gray values are 0 to 3")));
    std::ranges::fill(values, 1.0f);
    EXPECT_THAT([&] { surfaceOf(phi(), geometry, SurfaceEdge::Closed, ctx); },
                ThrowsMessage<ComputeError>(HasSubstr("no surface is left")));
}

TEST_F(SurfaceWay, RefusesAxesThatAreNotAtRightAngles) {
    test::TestVolume map = labels();
    const Geometry sheared(map.size, {1, 1, 1}, {}, {{{1, 0.6, 0}, {0, 0.8, 0}, {0, 0, 1}}});
    EXPECT_THAT([&] { distanceOfLabel(map.view(), 3, sheared, phi(), ctx); },
                ThrowsMessage<ComputeError>(HasSubstr("right angles")));
    EXPECT_THAT([&] { distanceOfThreshold(map.view(), 1, sheared, phi(), ctx); },
                ThrowsMessage<ComputeError>(HasSubstr("right angles")));
}

TEST_F(SurfaceWay, ValuesAtPointsOfALinearVolumeAreLinear) {
    const Geometry grid({9, 8, 7}, {0.5, 1, 2}, {3, -4, 5});
    const auto linear = [](Vec3 p) { return 2 * p.x - 3 * p.y + 0.5 * p.z + 1; };
    test::TestVolume volume(grid.size(), [&](double x, double y, double z) {
        return linear(grid.indexToPhysical({x, y, z}));
    });
    TriangleMesh mesh;
    mesh.points = {{3.3f, -3.9f, 6}, {5.1f, 1.7f, 14.2f}, {7, 3, 17}};
    const std::vector<float> found = valuesAtPoints(volume.view(), grid, mesh, ctx);
    ASSERT_EQ(found.size(), 3u);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto& p = mesh.points[i];
        EXPECT_NEAR(found[i], linear({p[0], p[1], p[2]}), 1e-4) << i;
    }
    mesh.points = {{-100, -4, 5}}; // beyond the grid: the border's value
    EXPECT_NEAR(valuesAtPoints(volume.view(), grid, mesh, ctx)[0], linear({3, -4, 5}), 1e-4);
}

} // namespace
} // namespace systole
