// Signed distances of masks: against every face and every center inside in float64, and shapes with
// known distances.
#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/signed_distance.h"
#include "tests/compute/surface/surface_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace systole {
namespace {

std::vector<float> distanceOf(const test::TestMask& mask, Vec3 spacing, int threads = 2) {
    ExecResources resources(threads);
    std::vector<float> phi(mask.size.voxels());
    signedDistance(mask.view(), spacing, {phi.data(), mask.size}, resources.context());
    return phi;
}

/// A face across `axis`, between the voxels `at` − 1/2 and `at` + 1/2 of that axis.
struct Face {
    int axis;
    Vec3 at; ///< its center, in voxels
};

std::vector<Face> facesOf(VolumeView<const std::uint8_t> inside) {
    std::vector<Face> faces;
    const Size3 size = inside.size;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                for (int axis = 0; axis < 3; ++axis) {
                    const int to[3] = {x + (axis == 0), y + (axis == 1), z + (axis == 2)};
                    if (to[axis] == size[axis] ||
                        (inside(x, y, z) != 0) == (inside(to[0], to[1], to[2]) != 0))
                        continue;
                    faces.push_back({axis, 0.5 * (voxelPoint(x + to[0], y + to[1], z + to[2]))});
                }
    return faces;
}

/// The squared distance in mm of a point to a rectangle across its axis.
double squaredDistance(const Face& face, Vec3 point, Vec3 spacing) {
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        const double along = std::abs(point[a] - face.at[a]);
        const double beside = a == face.axis ? along : std::max(0.0, along - 0.5);
        sum += beside * spacing[a] * beside * spacing[a];
    }
    return sum;
}

/// Looks at every face for every voxel, in float64: quadratic in the number of voxels.
std::vector<float> distanceToEveryFace(VolumeView<const std::uint8_t> inside, Vec3 spacing) {
    const std::vector<Face> faces = facesOf(inside);
    std::vector<float> distances(inside.voxels());
    const VolumeView<float> phi(distances.data(), inside.size);
    ExecResources resources(2);
    overVoxels(inside.size, resources.context(), [&](int x, int y, int z) {
        double squared = INFINITY;
        for (const Face& face : faces)
            squared = std::min(squared, squaredDistance(face, voxelPoint(x, y, z), spacing));
        const double distance = std::sqrt(squared);
        phi(x, y, z) = static_cast<float>(inside(x, y, z) != 0 ? -distance : distance);
    });
    return distances;
}

struct MaskCase {
    const char* name;
    test::TestMask mask;
    Vec3 spacing;
};

class DistanceOfMask : public ::testing::TestWithParam<int> {
protected:
    static MaskCase at(int index) {
        const auto ball = [](Size3 size, Vec3 spacing, double radius) {
            const test::Ball shape{{0.45 * size.x, 0.5 * size.y, 0.55 * size.z}, radius, spacing};
            return test::TestMask(size, [=](int x, int y, int z) { return shape(x, y, z) < 0; });
        };
        switch (index) {
        case 0:
            return {"ball", ball({20, 18, 16}, {1, 1, 1}, 6), {1, 1, 1}};
        case 1:
            return {"thick slices", ball({30, 28, 6}, {0.7, 0.7, 10}, 9), {0.7, 0.7, 10}};
        case 2:
            return {"touches the edge", ball({14, 12, 10}, {1, 1.5, 0.8}, 6.5), {1, 1.5, 0.8}};
        case 3:
            return {"noise", test::randomMask({15, 14, 13}, 0.3), {0.9, 1.7, 1.1}};
        case 4:
            return {"rare noise", test::randomMask({15, 14, 13}, 0.004), {3.0, 0.5, 1.0}};
        case 5:
            return {"one voxel",
                    test::TestMask({9, 8, 7},
                                   [](int x, int y, int z) { return x == 5 && y == 2 && z == 3; }),
                    {1, 2, 3}};
        case 6:
            return {"one plane", ball({17, 15, 1}, {1, 1.3, 4}, 5), {1, 1.3, 4}};
        default:
            return {"one voxel outside",
                    test::TestMask({9, 8, 7}, [](int x, int y, int z) { return x + y + z > 0; }),
                    {1, 2, 3}};
        }
    }
};

TEST_P(DistanceOfMask, IsThatToTheNearestFace) {
    const MaskCase c = at(GetParam());
    const auto fast = distanceOf(c.mask, c.spacing);
    const auto exact = distanceToEveryFace(c.mask.view(), c.spacing);
    for (std::size_t i = 0; i < fast.size(); ++i)
        ASSERT_NEAR(fast[i], exact[i], 2e-6f * std::abs(exact[i])) << c.name << ", voxel " << i;
}

TEST_P(DistanceOfMask, IsTheSameForAnyNumberOfThreads) {
    const MaskCase c = at(GetParam());
    EXPECT_EQ(distanceOf(c.mask, c.spacing, 1), distanceOf(c.mask, c.spacing, 4));
}

INSTANTIATE_TEST_SUITE_P(Masks, DistanceOfMask, ::testing::Range(0, 8));

TEST(SignedDistance, LiesHalfwayBetweenVoxels) {
    const test::TestMask half({8, 5, 4}, [](int x, int, int) { return x < 3; });
    const auto phi = distanceOf(half, {2, 1, 1});
    for (int x = 0; x < 8; ++x)
        EXPECT_FLOAT_EQ(phi[static_cast<std::size_t>(x)], 2 * (static_cast<float>(x) - 2.5f)) << x;
}

TEST(SignedDistance, IsNearThatOfABall) {
    const test::Ball ball{{20, 20, 20}, 12};
    const test::TestMask mask({41, 41, 41}, [&](int x, int y, int z) { return ball(x, y, z) < 0; });
    const auto phi = distanceOf(mask, {1, 1, 1});
    const VolumeView<const float> view(phi.data(), mask.size);
    double sum = 0, count = 0;
    for (int z = 0; z < 41; ++z)
        for (int y = 0; y < 41; ++y)
            for (int x = 0; x < 41; ++x) {
                const double error = view(x, y, z) - ball(x, y, z);
                ASSERT_LT(std::abs(error), 0.9); // half a voxel's diagonal
                if (std::abs(ball(x, y, z)) < 1)
                    sum += std::abs(error);
                count += std::abs(ball(x, y, z)) < 1;
            }
    EXPECT_LT(sum / count, 0.3);
}

// Other programs measure to the centers of voxels inside: at least half a voxel's side further, at
// most half its diagonal.
TEST(SignedDistance, EndsWithinHalfAVoxelOfTheNearestCenterInside) {
    const Vec3 spacing{0.7, 0.7, 2.5};
    const test::TestMask mask = test::randomMask({24, 22, 12}, 0.01);
    const auto phi = distanceOf(mask, spacing);
    const auto at = [&](std::size_t i) {
        const auto x = static_cast<double>(i % 24);
        const auto y = static_cast<double>(i / 24 % 22);
        const auto z = static_cast<double>(i / (24 * 22));
        return Vec3{x * spacing.x, y * spacing.y, z * spacing.z};
    };
    std::vector<Vec3> centers;
    for (std::size_t i = 0; i < phi.size(); ++i)
        if (mask.voxels[i])
            centers.push_back(at(i));
    ASSERT_GT(centers.size(), 10u);
    const double halfDiagonal = 0.5 * std::hypot(spacing.x, spacing.y, spacing.z);
    for (std::size_t i = 0; i < phi.size(); ++i) {
        if (mask.voxels[i])
            continue;
        const Vec3 p = at(i);
        double nearest = std::numeric_limits<double>::infinity();
        for (const Vec3& c : centers)
            nearest = std::min(nearest, std::hypot(p.x - c.x, p.y - c.y, p.z - c.z));
        ASSERT_LE(phi[i], nearest - 0.5 * spacing.x + 1e-4) << i;
        ASSERT_GE(phi[i], nearest - halfDiagonal - 1e-4) << i;
    }
}

TEST(SignedDistance, NeedsABorder) {
    const test::TestMask none({4, 4, 4}, [](int, int, int) { return false; });
    const test::TestMask all({4, 4, 4}, [](int, int, int) { return true; });
    EXPECT_THAT(
        [&] {
            distanceOf(none, {1, 1, 1});
        },
        ::testing::ThrowsMessage<ComputeError>(
            ::testing::HasSubstr("no voxel lies inside the mask")));
    EXPECT_THAT(
        [&] {
            distanceOf(all, {1, 1, 1});
        },
        ::testing::ThrowsMessage<ComputeError>(
            ::testing::HasSubstr("all voxels lie inside the mask")));
}

TEST(SignedDistance, RefusesVolumesOfAnotherSize) {
    const test::TestMask mask = test::randomMask({4, 4, 4}, 0.5);
    std::vector<float> phi(80);
    ExecResources resources(1);
    EXPECT_THROW(
        signedDistance(mask.view(), {1, 1, 1}, {phi.data(), {5, 4, 4}}, resources.context()),
        ComputeError);
}

TEST(MarkLabel, TakesRoundedValues) {
    const std::vector<float> labels{0, 1, 2, 1.0001f, 2, 3, 1, 0};
    std::vector<std::uint8_t> inside(8);
    ExecResources resources(1);
    markLabel({labels.data(), {2, 2, 2}}, 1, {inside.data(), {2, 2, 2}}, resources.context());
    EXPECT_THAT(inside, ::testing::ElementsAre(0, 1, 0, 1, 0, 0, 1, 0));
}

} // namespace
} // namespace systole
