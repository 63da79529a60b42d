// Tracks in an elastic wall: known motion, noise, and points that were lost.
#include "compute/core/error.h"
#include "compute/core/random.h"
#include "compute/elasticity/wall_tracks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace systole::elasticity {
namespace {

constexpr Size3 size{26, 24, 20};
constexpr Vec3 spacing{1.5, 1.5, 2};

/// A thick shell.
std::vector<std::uint8_t> shell() {
    std::vector<std::uint8_t> wall(size.voxels());
    const VolumeView<std::uint8_t> view(wall.data(), size);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const double r = std::hypot(spacing.x * (x - 12.5), spacing.y * (y - 11.5),
                                            spacing.z * (z - 9.5));
                view(x, y, z) = r > 9 && r < 16 ? 1 : 0;
            }
    return wall;
}

Vec3 affineMotion(Vec3 p) {
    return {1 + 0.05 * p.x - 0.1 * p.y, -2 + 0.1 * p.x + 0.02 * p.z, 0.5 - 0.06 * p.z};
}
Vec3 smoothMotion(Vec3 p) {
    return {2 * std::sin(p.y / 12), 1.5 * std::cos(p.z / 14), std::sin(p.x / 10 + p.y / 16)};
}

double random(std::uint64_t i) {
    return 2 * double{uniformFloat(static_cast<std::uint32_t>(randomBits(3, 1, i)))} - 1;
}

class WallTracksTest : public testing::Test {
protected:
    WallTracksTest() {
        const VolumeView<const std::uint8_t> view(wall.data(), size);
        for (std::uint64_t i = 0; points.size() < 400; ++i) {
            const Vec3 p{spacing.x * (12.5 + 12 * random(3 * i)),
                         spacing.y * (11.5 + 11 * random(3 * i + 1)),
                         spacing.z * (9.5 + 9 * random(3 * i + 2))};
            if (view(static_cast<int>(std::lround(p.x / spacing.x)),
                     static_cast<int>(std::lround(p.y / spacing.y)),
                     static_cast<int>(std::lround(p.z / spacing.z))) != 0)
                points.push_back(p);
        }
    }
    /// Every third point is lost.
    static bool lost(std::size_t i) { return i % 3 == 0; }

    std::vector<std::uint8_t> wall = shell();
    std::vector<Vec3> points;
    ExecResources resources{2};
};

TEST_F(WallTracksTest, AffineMotionIsCarriedExactly) {
    WallTracks tracks({wall.data(), size}, spacing, points, {});
    std::vector<Vec3> displacements(points.size());
    std::vector<double> weights(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!lost(i)) {
            displacements[i] = affineMotion(points[i]);
            weights[i] = 0.2 + 0.8 * static_cast<double>(i % 5) / 4;
        }
    ExecContext ctx = resources.context();
    const WallTrackReport report = tracks.carry(displacements, weights, ctx);
    EXPECT_EQ(report.springs + report.carried, tracks.held());
    EXPECT_EQ(tracks.held(), 400);
    for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_LT(length(displacements[i] - affineMotion(points[i])), 1e-8);
}

TEST_F(WallTracksTest, NoiseBecomesLessAndLostPointsAreFound) {
    WallTracks tracks({wall.data(), size}, spacing, points, {.length = 20});
    std::vector<Vec3> displacements(points.size());
    std::vector<double> weights(points.size());
    double before = 0, after = 0, ofLost = 0;
    int kept = 0, gone = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!lost(i)) {
            const Vec3 noise{random(9000 + 3 * i), random(9001 + 3 * i), random(9002 + 3 * i)};
            displacements[i] = smoothMotion(points[i]) + noise;
            weights[i] = 1;
            before += length(noise);
        }
    ExecContext ctx = resources.context();
    tracks.carry(displacements, weights, ctx);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double error = length(displacements[i] - smoothMotion(points[i]));
        (lost(i) ? ofLost : after) += error;
        ++(lost(i) ? gone : kept);
    }
    EXPECT_LT(after / kept, 0.6 * before / kept);
    EXPECT_LT(ofLost / gone, 0.7 * before / kept);
}

TEST_F(WallTracksTest, SameBitsForAnyNumberOfThreads) {
    WallTracks tracks({wall.data(), size}, spacing, points, {});
    std::vector<Vec3> one(points.size()), four;
    const std::vector<double> weights(points.size(), 1.0);
    for (std::size_t i = 0; i < points.size(); ++i)
        one[i] = smoothMotion(points[i]);
    four = one;
    ExecResources single(1), several(4);
    ExecContext first = single.context(), second = several.context();
    tracks.carry(one, weights, first);
    tracks.carry(four, weights, second);
    for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_EQ(length(one[i] - four[i]), 0);
}

TEST_F(WallTracksTest, TheBodyIsSetUpOnceAndEveryFrameIsTheSameAfterAnyOther) {
    WallTracks tracks({wall.data(), size}, spacing, points, {}),
        fresh({wall.data(), size}, spacing, points, {});
    std::vector<Vec3> first(points.size()), second, alone;
    std::vector<double> some(points.size(), 1.0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        first[i] = smoothMotion(points[i]);
        second.push_back(lost(i) ? Vec3{} : 0.5 * affineMotion(points[i]));
        some[i] = lost(i) ? 0 : 0.5;
    }
    alone = second;
    ExecContext ctx = resources.context();
    EXPECT_TRUE(tracks.carry(first, std::vector<double>(points.size(), 1.0), ctx).bodySetUp);
    EXPECT_FALSE(tracks.carry(second, some, ctx).bodySetUp);
    EXPECT_TRUE(fresh.carry(alone, some, ctx).bodySetUp);
    for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_EQ(length(second[i] - alone[i]), 0);
}

TEST_F(WallTracksTest, PointsElsewhereStayAndSpecksAreLeftOut) {
    std::vector<std::uint8_t> speckled = wall;
    speckled[0] = 1; // a part of its own
    std::vector<Vec3> more = points;
    more.push_back({0, 0, 0});
    more.push_back({spacing.x * 12.5, spacing.y * 11.5, spacing.z * 9.5}); // a point in the cavity
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double nowhere : {-1.0, 1e300, -1e300, 4e9, nan})
        more.push_back({nowhere, spacing.y * 11.5, spacing.z * 9.5});
    WallTracks tracks({speckled.data(), size}, spacing, more, {});
    for (std::size_t i = 400; i < more.size(); ++i)
        EXPECT_FALSE(tracks.holds(i)) << i;
    std::vector<Vec3> displacements(more.size(), Vec3{1, 2, 3});
    displacements[401] = {7, 7, 7};
    std::vector<double> weights(more.size(), 1.0);
    ExecContext ctx = resources.context();
    tracks.carry(displacements, weights, ctx);
    EXPECT_EQ(displacements[401].x, 7);
    EXPECT_NEAR(displacements[5].y, 2, 1e-8);
}

TEST_F(WallTracksTest, RefusesWhatDeterminesNoMotion) {
    const std::vector<Vec3> few(points.begin(), points.begin() + 3);
    EXPECT_THROW(WallTracks({wall.data(), size}, spacing, few, {}), ComputeError);
    EXPECT_THROW(WallTracks({wall.data(), size}, spacing, points, {.length = 0}), ComputeError);
    WallTracks tracks({wall.data(), size}, spacing, points, {});
    std::vector<Vec3> displacements(points.size());
    const std::vector<double> none(points.size(), 0.0);
    ExecContext ctx = resources.context();
    EXPECT_THROW(tracks.carry(displacements, none, ctx), ComputeError);
}

} // namespace
} // namespace systole::elasticity
