// Points with tails as triangles: where they lie, how far the tails reach, what is left out.
#include "render/overlays/track_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace systole {
namespace {

constexpr double unit = 1e-5; ///< rounding of float coordinates, mm

/// One point that moves by 10 mm along x from frame to frame, at y = 5, z = 7.
SceneTracks straight(int frames) {
    SceneTracks tracks;
    auto& track = tracks.tracks.emplace_back();
    for (int frame = 0; frame < frames; ++frame)
        track.push_back(SceneTrackPoint{{10.0 * frame, 5, 7}, 0.1 * frame, 0.5 * frame});
    return tracks;
}

struct Range {
    double low = 1e9, high = -1e9;
};
Range along(const TrackMesh& made, std::size_t axis) {
    Range range;
    for (const auto& point : made.mesh.points) {
        range.low = std::min(range.low, double{point[axis]});
        range.high = std::max(range.high, double{point[axis]});
    }
    return range;
}

float partOf(const TrackMesh& made) {
    EXPECT_FALSE(made.parts.empty());
    EXPECT_TRUE(std::ranges::all_of(made.parts, [&](float part) { return part == made.parts[0]; }));
    return made.parts[0];
}

TEST(TrackMesh, TailsReachBackAsManyFramesAsWanted) {
    TrackLook look;
    look.radius = 2;
    for (const int tail : {0, 1, 3, 100}) {
        look.tail = tail;
        const TrackMesh made = trackMesh(straight(6), 5, look);
        const double oldest = 10.0 * std::max(5 - tail, 0);
        EXPECT_NEAR(along(made, 0).high, 50 + 2, 0.4) << "a ball of the radius";
        EXPECT_NEAR(along(made, 0).low, tail == 0 ? 50 - 2 : oldest, 0.4) << tail;
    }
}

TEST(TrackMesh, PointsOfABallAreOfItsRadiusAndItsTrianglesFaceOutwards) {
    TrackLook look;
    look.radius = 3;
    look.tail = 0;
    const Vec3 center{20, 5, 7};
    const TrackMesh made = trackMesh(straight(3), 2, look);
    const auto at = [&](std::uint32_t i) {
        const auto& p = made.mesh.points[i];
        return Vec3{p[0], p[1], p[2]};
    };
    for (std::uint32_t i = 0; i < made.mesh.points.size(); ++i)
        EXPECT_NEAR(length(at(i) - center), 3, unit);
    ASSERT_EQ(made.mesh.triangles.size(), 20U);
    double volume = 0;
    for (const auto& t : made.mesh.triangles) {
        const Vec3 a = at(t[0]) - center, b = at(t[1]) - center, c = at(t[2]) - center;
        const double six = a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) +
                           a.z * (b.x * c.y - b.y * c.x);
        EXPECT_GT(six, 0) << "every face turns outwards";
        volume += six / 6;
    }
    EXPECT_NEAR(volume, 2.5361 * 27, 0.01) << "of the icosahedron in a sphere of radius 3";
}

TEST(TrackMesh, InASliceItLiesInThePlaneAndShrinksTowardsTheSlab) {
    TrackLook look;
    look.radius = 2;
    look.tail = 2;
    look.axis = 2;
    look.slab = 4;
    for (const double off : {0.0, 1.0, 3.0, 4.0, 6.0}) {
        look.offset = 7 + off;
        const TrackMesh made = trackMesh(straight(3), 2, look);
        if (off >= 4) {
            EXPECT_TRUE(made.mesh.points.empty()) << off;
            continue;
        }
        EXPECT_NEAR(along(made, 2).low, look.offset, unit);
        EXPECT_NEAR(along(made, 2).high, look.offset, unit);
        EXPECT_NEAR(along(made, 0).high, 20 + 2 * (1 - off / 4), unit) << off;
        EXPECT_NEAR(along(made, 0).low, 0, unit) << "the end of the tail";
    }
}

TEST(TrackMesh, ACarriedPointIsAnOctahedronAndInASliceADiamond) {
    SceneTracks tracks = straight(3);
    tracks.tracks[0][2]->carried = true;
    TrackLook look;
    look.radius = 2;
    look.tail = 0;
    const TrackMesh made = trackMesh(tracks, 2, look);
    ASSERT_EQ(made.mesh.triangles.size(), 8U);
    const Vec3 center{20, 5, 7};
    for (const auto& triangle : made.mesh.triangles) {
        std::array<Vec3, 3> at;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto& p = made.mesh.points[triangle[i]];
            at[i] = Vec3{p[0], p[1], p[2]} - center;
            int off = 0; // axes along which the corner lies off the center
            for (int axis = 0; axis < 3; ++axis)
                off += std::abs(at[i][axis]) > unit ? 1 : 0;
            EXPECT_EQ(off, 1);
            EXPECT_NEAR(length(at[i]), length(at[0]), unit);
        }
        const Vec3 a = at[0], b = at[1], c = at[2];
        EXPECT_GT(a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) +
                      a.z * (b.x * c.y - b.y * c.x),
                  0)
            << "every face turns outwards";
    }
    EXPECT_EQ(trackMesh(tracks, 1, look).mesh.triangles.size(), 20U) << "found: a ball";
    look.axis = 2;
    look.offset = 7;
    look.slab = 1;
    const std::size_t diamond = trackMesh(tracks, 2, look).mesh.triangles.size(),
                      disk = trackMesh(straight(3), 2, look).mesh.triangles.size();
    EXPECT_EQ(diamond % 4, 0U);
    EXPECT_EQ(3 * diamond, disk) << "4 corners in place of 12";
}

TEST(TrackMesh, ColorsAreDisplacementCertaintyOrError) {
    TrackLook look;
    look.tail = 0;
    look.maximum = 40;
    EXPECT_FLOAT_EQ(partOf(trackMesh(straight(6), 3, look)), 0.75f);
    EXPECT_FLOAT_EQ(partOf(trackMesh(straight(6), 5, look)), 1) << "beyond the maximum";
    look.colors = TrackColors::Certainty;
    EXPECT_FLOAT_EQ(partOf(trackMesh(straight(6), 3, look)), 0.3f);
    look.colors = TrackColors::Error;
    look.maximum = 2;
    EXPECT_FLOAT_EQ(partOf(trackMesh(straight(6), 3, look)), 0.75f);
    SceneTracks unknown = straight(6);
    unknown.tracks[0][3]->error.reset();
    EXPECT_EQ(partOf(trackMesh(unknown, 3, look)), -1);
    look.colors = TrackColors::Plain;
    EXPECT_EQ(partOf(trackMesh(straight(6), 3, look)), -1);
}

TEST(TrackMesh, ATailHasTheColorsOfTheFramesThatItPasses) {
    TrackLook look;
    look.maximum = 50;
    look.tail = 2;
    look.radius = 0.5;
    const TrackMesh made = trackMesh(straight(6), 4, look);
    for (std::size_t i = 0; i < made.parts.size(); ++i)
        EXPECT_NEAR(made.parts[i], made.mesh.points[i][0] / 50, 0.02) << "displacement along x";
}

TEST(TrackMesh, ALostPointIsHiddenOrDrawnSmallWhereItWasSeenLast) {
    SceneTracks tracks = straight(6);
    tracks.tracks[0][4].reset();
    TrackLook look;
    look.radius = 2;
    look.tail = 0;
    EXPECT_TRUE(trackMesh(tracks, 4, look).mesh.points.empty());
    look.lost = true;
    const TrackMesh made = trackMesh(tracks, 4, look);
    EXPECT_NEAR((along(made, 0).low + along(made, 0).high) / 2, 30, unit);
    EXPECT_LT(along(made, 0).high, 30 + 2 * 0.8);
    EXPECT_EQ(partOf(made), -1);
    look.tail = 3;
    EXPECT_NEAR(along(trackMesh(tracks, 5, look), 0).low, 20, 0.4) << "over the gap";
}

TEST(TrackMesh, NothingOfFramesThatAreNotSearchedOrNotThere) {
    SceneTracks tracks = straight(3);
    tracks.tracks[0][2].reset();
    tracks.searched = {true, true, false};
    TrackLook look;
    look.lost = true;
    EXPECT_FALSE(trackMesh(tracks, 1, look).mesh.points.empty());
    EXPECT_TRUE(trackMesh(tracks, 2, look).mesh.points.empty());
    EXPECT_TRUE(trackMesh(tracks, -1, look).mesh.points.empty());
    EXPECT_TRUE(trackMesh(tracks, 3, look).mesh.points.empty());
}

TEST(TrackMesh, ColorsReachToWhatFewDisplacementsAndErrorsExceed) {
    SceneTracks tracks;
    for (int i = 1; i <= 101; ++i) {
        const double error = i == 101 ? 500 : i; // one track is wrong
        tracks.tracks.push_back({SceneTrackPoint{{0, 0, 0}, 1},
                                 SceneTrackPoint{{0, 2 * error, 0}, 1, error}, std::nullopt});
    }
    EXPECT_DOUBLE_EQ(largeDisplacement(tracks), 2 * 99);
    EXPECT_DOUBLE_EQ(largeError(tracks), 99);
    EXPECT_EQ(largeError(SceneTracks{}), 0);
    EXPECT_EQ(largeDisplacement(SceneTracks{}), 0);
}

} // namespace
} // namespace systole
