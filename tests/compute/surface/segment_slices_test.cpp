// The chamber in thick slices, around muscles that stand in it, and the distance to a star.
#include "compute/surface/segment_parts.h"
#include "tests/support/volume_of.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace systole {
namespace {

/// Tubes across the planes of an axis: blood within 20 cubes of the middle, wall up to 28, fat or
/// another ventricle beyond 28 on one side. A muscle stands in the blood.
class ChamberInSlices : public ::testing::Test {
protected:
    static constexpr int across = 72, planes = 5, emptyPlane = 4;
    static constexpr double blood = 20, wall = 28;
    ExecResources resources{2};
    ExecContext ctx = resources.context();

    struct Place {
        double r, u, v;
        int plane;
    };
    static Place placeOf(int axis, int x, int y, int z) {
        const int at[] = {x, y, z};
        const double u = at[(axis + 1) % 3] - across / 2.0, v = at[(axis + 2) % 3] - across / 2.0;
        return {std::hypot(u, v), u, v, at[axis]};
    }
    static Geometry cubes(int axis) {
        return Geometry(
            {axis == 0 ? planes : across, axis == 1 ? planes : across, axis == 2 ? planes : across},
            {1, 1, 1});
    }
    static bool inMuscle(const Place& p) { return p.u > 9 && std::abs(p.v) < 5; }

    template <typename Value>
    Volume tubes(int axis, const Value& value) {
        return test::volumeOf(cubes(axis), *ctx.pool,
                              [&](int x, int y, int z) { return value(placeOf(axis, x, y, z)); });
    }
    /// Planes that have no wall on one side, as in an atrium.
    std::vector<int> openPlanes;

    SegmentGrid stack(int axis, double bright, double dark) {
        const auto value = [&](const Place& p) {
            const double grain = 0.02 * (static_cast<int>(p.u * 7 + p.v * 3 + 5000) % 3 - 1);
            const bool open = std::ranges::count(openPlanes, p.plane) > 0 && p.u < 0;
            const bool light = p.r < blood ? !inMuscle(p) : open || (p.r > wall && p.u < 0);
            return (light ? bright : dark) + grain;
        };
        SegmentGrid grid{tubes(axis, value), {}};
        grid.known.assign(grid.gray.voxels.size(), 1);
        grid.thickAxis = axis;
        return grid;
    }
    /// A contour that left the muscle out, and 3 mm of blood; none in one plane.
    Volume withoutMuscle(int axis) {
        return tubes(axis, [](const Place& p) {
            const double muscle = std::min(p.u - 9, 5 - std::abs(p.v));
            return p.plane == emptyPlane ? 50 : std::max(p.r - (blood - 3), muscle);
        });
    }
    Volume border(int axis) {
        return tubes(axis, [](const Place& p) { return p.r - wall; });
    }
    /// A chamber that is within a circle and outside another one in each plane.
    Volume crescent() {
        return tubes(2, [](const Place& p) {
            return std::max(std::hypot(p.u, p.v) - 28, 22 - std::hypot(p.u + 14, p.v));
        });
    }
    /// The chamber found when the middle plane has other values.
    Volume foundWith(const std::function<float(const Place&, float)>& middlePlane) {
        SegmentGrid grid = stack(2, 0.9, 0.3);
        for (int y = 0; y < across; ++y)
            for (int x = 0; x < across; ++x) {
                float& gray = grid.gray.view()(x, y, 2);
                gray = middlePlane(placeOf(2, x, y, 2), gray);
            }
        return hullInSlices(grid, withoutMuscle(2), border(2), false, ctx);
    }
    Volume found(int axis, double bright, double dark, bool endsAtValves = false, int threads = 2) {
        ExecResources own(threads);
        return hullInSlices(stack(axis, bright, dark), withoutMuscle(axis), border(axis),
                            endsAtValves, own.context());
    }
    /// Number of cubes inside in a plane.
    static std::ptrdiff_t insideOf(const Volume& chamber, int axis, int plane) {
        std::ptrdiff_t count = 0;
        const Size3 n = chamber.geometry.size();
        for (int z = 0; z < n.z; ++z)
            for (int y = 0; y < n.y; ++y)
                for (int x = 0; x < n.x; ++x)
                    count += placeOf(axis, x, y, z).plane == plane && chamber.view()(x, y, z) < 0;
        return count;
    }
};

TEST_F(ChamberInSlices, GoesAroundMusclesAndStopsAtTheWall) {
    for (const int axis : {0, 1, 2}) {
        const Volume chamber = found(axis, 0.9, 0.3);
        const Size3 n = chamber.geometry.size();
        for (int z = 0; z < n.z; ++z)
            for (int y = 0; y < n.y; ++y)
                for (int x = 0; x < n.x; ++x) {
                    const Place p = placeOf(axis, x, y, z);
                    const float level = chamber.view()(x, y, z);
                    if (p.plane == emptyPlane) {
                        EXPECT_EQ(level, 50);
                    } else if (p.r < blood - 1.5) {
                        EXPECT_LT(level, 0) << axis << ": " << p.u << ", " << p.v;
                    } else if (p.r > blood + 1.5) {
                        EXPECT_GT(level, 0) << axis << ": " << p.u << ", " << p.v;
                    }
                }
    }
}

TEST_F(ChamberInSlices, IsLeftAsItIsWhereBloodIsDark) {
    const Volume chamber = found(2, 0.3, 0.9), given = withoutMuscle(2);
    EXPECT_TRUE(std::ranges::equal(chamber.voxels.span(), given.voxels.span()));
}

TEST_F(ChamberInSlices, EndsWhereMuscleNoLongerSurroundsIt) {
    openPlanes = {0};
    for (const int axis : {0, 1, 2}) {
        const Volume whole = found(axis, 0.9, 0.3), ended = found(axis, 0.9, 0.3, true);
        EXPECT_GT(insideOf(whole, axis, 0), 0);
        EXPECT_EQ(insideOf(ended, axis, 0), 0);
        for (const int plane : {1, 2, 3})
            EXPECT_EQ(insideOf(ended, axis, plane), insideOf(whole, axis, plane)) << plane;
    }
}

TEST_F(ChamberInSlices, GoesOnWhereItHasNoWallAnywhere) {
    openPlanes = {0, 1, 2, 3};
    EXPECT_EQ(insideOf(found(2, 0.9, 0.3, true), 2, 0), insideOf(found(2, 0.9, 0.3), 2, 0));
}

TEST_F(ChamberInSlices, StaysTheCrescentOfARightVentricle) {
    const Volume ventricle = crescent();
    SegmentGrid grid = stack(2, 0.9, 0.3);
    for (std::size_t i = 0; i < ventricle.voxels.size(); ++i)
        grid.gray.voxels.data()[i] =
            (ventricle.voxels.data()[i] < 0 ? 0.9f : 0.3f) + 0.01f * static_cast<float>(i % 3);
    const Volume outer = tubes(2, [&](const Place& p) { return std::hypot(p.u, p.v) - 34; });
    const Volume chamber = hullInSlices(grid, ventricle, outer, false, ctx);
    EXPECT_TRUE(std::ranges::equal(chamber.voxels.span(), ventricle.voxels.span()));
}

TEST_F(ChamberInSlices, AddsNothingNearTheOuterBorder) {
    // A notch from outside, where the contour isn't and its hull is.
    const Volume outer = tubes(2, [](const Place& p) {
        return std::max(p.r - wall, std::min(p.u - 12, 8 - std::abs(p.v)));
    });
    const Volume given = withoutMuscle(2);
    const Volume chamber = hullInSlices(stack(2, 0.9, 0.3), given, outer, false, ctx);
    for (std::size_t i = 0; i < given.voxels.size(); ++i)
        if (given.voxels.data()[i] > 0 && outer.voxels.data()[i] > 0) {
            EXPECT_GT(chamber.voxels.data()[i], 0);
        }
}

TEST_F(ChamberInSlices, StaysAsItIsInAPlaneThatIsHardlyBright) {
    const Volume given = withoutMuscle(2);
    const auto spot = [](const Place& p, float) { return p.r < 1 ? 0.9f : 0.3f; };
    const auto jet = [](const Place& p, float gray) { return p.v > -8 ? 0.3f : gray; };
    EXPECT_EQ(insideOf(foundWith(spot), 2, 2), insideOf(given, 2, 2));
    EXPECT_EQ(insideOf(foundWith(jet), 2, 2), insideOf(given, 2, 2));
    EXPECT_GT(insideOf(foundWith(spot), 2, 1), insideOf(given, 2, 1));
}

TEST_F(ChamberInSlices, FindsBloodALittleBrighterThanTheLimit) {
    // The wall's limit is 0.15 of the contrast of 0.6 above 0.3: 0.39; the whole slice is shaded.
    const auto shaded = [](const Place& p, float gray) {
        return p.r < blood && gray > 0.6f ? 0.3f + 1.1f * 0.09f : gray;
    };
    const auto usual = [](const Place&, float gray) { return gray; };
    EXPECT_EQ(insideOf(foundWith(shaded), 2, 2), insideOf(foundWith(usual), 2, 2));
}

TEST_F(ChamberInSlices, MayBeNowhereDeep) {
    const auto slim = [](const Place& p) { return std::abs(p.u) < 20 && std::abs(p.v) < 4; };
    SegmentGrid grid = stack(2, 0.9, 0.3);
    const Volume given =
        tubes(2, [](const Place& p) { return std::max(std::abs(p.u) - 18, std::abs(p.v) - 3); });
    const Volume light = tubes(2, [&](const Place& p) { return slim(p) ? 0.9 : 0.3; });
    for (std::size_t i = 0; i < light.voxels.size(); ++i)
        grid.gray.voxels.data()[i] = light.voxels.data()[i] + 0.01f * static_cast<float>(i * i % 3);
    const Volume chamber = hullInSlices(grid, given, border(2), false, ctx);
    EXPECT_NEAR(static_cast<double>(insideOf(chamber, 2, 1)), 39 * 7, 8);
}

TEST_F(ChamberInSlices, AnyNumberOfThreadsGivesTheSameBits) {
    EXPECT_TRUE(std::ranges::equal(found(1, 0.9, 0.3, true, 1).voxels.span(),
                                   found(1, 0.9, 0.3, true, 3).voxels.span()));
}

TEST(StarLevel, IsTheMeanOfAllRadiiWithinTwelveDegrees) {
    ExecResources resources(2);
    const std::vector<Vec3>& unit = StarDirections::standard().unit;
    StarContour star{{1, 2, 3}, {}};
    for (std::size_t i = 0; i < unit.size(); ++i)
        star.radii.push_back(20 + 0.01 * static_cast<double>(i * i % 997));
    const Geometry grid({21, 20, 19}, {2.3, 2.3, 2.3}, {-22, -20, -18});
    const Volume level = starLevel(star, grid, resources.context());
    const double widest = std::cos(12 * std::numbers::pi / 180);
    for (int z = 0; z < 19; ++z)
        for (int y = 0; y < 20; ++y)
            for (int x = 0; x < 21; ++x) {
                const Vec3 at = grid.indexToPhysical({1.0 * x, 1.0 * y, 1.0 * z}) - star.center;
                double weights = 0, radius = 0;
                for (std::size_t i = 0; i < unit.size(); ++i) {
                    const double weight = std::max(dot(at, unit[i]) / length(at) - widest, 0.0);
                    weights += weight * weight;
                    radius += weight * weight * star.radii[i];
                }
                EXPECT_NEAR(level.view()(x, y, z), length(at) - radius / weights, 1e-4);
            }
}

} // namespace
} // namespace systole
