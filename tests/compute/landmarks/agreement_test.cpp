// Displacements that contradict their neighbors': planted in smooth and in sliding motion.
#include "compute/core/random.h"
#include "compute/landmarks/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace systole {
namespace {

double uniform(std::uint64_t stream, std::size_t i) {
    return double{uniformFloat(static_cast<std::uint32_t>(randomBits(11, stream, i)))};
}

std::vector<Vec3> spreadPoints(std::size_t count, Vec3 extent) {
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < count; ++i)
        points.push_back(
            {uniform(0, i) * extent.x, uniform(1, i) * extent.y, uniform(2, i) * extent.z});
    return points;
}

struct Judged {
    int outliersLeft = 0, rejected = 0;
};

/// Every fifth displacement is replaced by one of up to 20 mm along each axis.
Judged judge(const std::vector<Vec3>& points, const auto& motion, double noise) {
    ExecResources resources(2);
    std::vector<Vec3> displacements;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto around = [&](std::uint64_t stream, double width) {
            return width * (2 * uniform(stream, i) - 1);
        };
        const bool outlier = i % 5 == 0;
        const Vec3 off = outlier ? Vec3{around(3, 20), around(4, 20), around(5, 20)}
                                 : Vec3{around(3, noise), around(4, noise), around(5, noise)};
        displacements.push_back(motion(points[i]) + off);
    }
    std::vector<unsigned char> counts(points.size(), 1), agrees(points.size());
    const NeighborTable table = nearestNeighbors(points, 24, resources.context());
    judgeAgreement(points, displacements, counts, table, {}, agrees, resources.context());
    Judged judged;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (length(displacements[i] - motion(points[i])) > 8)
            judged.outliersLeft += agrees[i];
        else if (i % 5 != 0)
            judged.rejected += !agrees[i];
    return judged;
}

TEST(Agreement, NearestNeighborsEqualExhaustiveSearch) {
    ExecResources resources(2);
    std::vector<Vec3> points = spreadPoints(300, {30, 20, 10});
    points[7] = points[8] = points[200]; // duplicates
    const NeighborTable table = nearestNeighbors(points, 9, resources.context());
    ASSERT_EQ(table.stride, 9);
    for (int i = 0; i < 300; ++i) {
        std::vector<std::pair<double, int>> all;
        for (int j = 0; j < 300; ++j)
            if (j != i) {
                const Vec3 apart =
                    points[static_cast<std::size_t>(j)] - points[static_cast<std::size_t>(i)];
                all.emplace_back(dot(apart, apart), j);
            }
        std::ranges::sort(all);
        for (std::size_t k = 0; k < 9; ++k)
            ASSERT_EQ(table.of(i)[k], all[k].second) << i;
    }
    EXPECT_EQ(nearestNeighbors(std::span(points).first(3), 9, resources.context()).stride, 2);
    EXPECT_EQ(nearestNeighbors(std::span(points).first(1), 9, resources.context()).stride, 0);
    EXPECT_EQ(nearestNeighbors({}, 9, resources.context()).stride, 0);
}

TEST(Agreement, RejectsPlantedOutliersOfSmoothMotion) {
    const std::vector<Vec3> points = spreadPoints(1500, {200, 200, 200});
    // Gradients of up to 0.2: 25 mm of difference over 125 mm.
    const Judged judged = judge(
        points,
        [](Vec3 p) {
            return Vec3{3 * std::sin(p.x / 40), 5 * std::cos(p.z / 50), 0.1 * p.z + 0.05 * p.x};
        },
        0.5);
    EXPECT_LE(judged.outliersLeft, 3);
    EXPECT_LE(judged.rejected, 12); // 1 % of 1200
}

TEST(Agreement, KeepsBothSidesOfASlidingWall) {
    const std::vector<Vec3> points = spreadPoints(1500, {100, 100, 100});
    const auto sliding = [](Vec3 p) {
        return p.x < 50 ? Vec3{0, 0, 0} : Vec3{0, 0, 15 + 0.05 * p.z};
    };
    const Judged judged = judge(points, sliding, 0.5);
    EXPECT_LE(judged.outliersLeft, 15);
    EXPECT_LE(judged.rejected, 36); // 3 % of 1200
}

TEST(Agreement, PointsInAPlaneOnALineAndAtOnePlace) {
    ExecResources resources(1);
    for (const Vec3 extent : {Vec3{100, 100, 0}, Vec3{100, 0, 0}, Vec3{0, 0, 0}}) {
        const std::vector<Vec3> points = spreadPoints(200, extent);
        const Judged judged = judge(
            points,
            [](Vec3 p) {
                return Vec3{0.1 * p.x, 0, 0.1 * p.y};
            },
            0.3);
        EXPECT_LE(judged.outliersLeft, 2);
        EXPECT_LE(judged.rejected, 3);
    }
}

TEST(Agreement, TooFewNeighborsAreNoJudges) {
    ExecResources resources(1);
    const std::vector<Vec3> points = spreadPoints(4, {10, 10, 10});
    const std::vector<Vec3> displacements{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {50, 0, 0}};
    const std::vector<unsigned char> counts{1, 1, 0, 1};
    std::vector<unsigned char> agrees(4);
    const NeighborTable table = nearestNeighbors(points, 24, resources.context());
    judgeAgreement(points, displacements, counts, table, {}, agrees, resources.context());
    EXPECT_EQ(agrees, counts);
}

} // namespace
} // namespace systole
