// How much of its convex hull a chamber fills: what tells one whose contour leaked.
#include "compute/core/exec.h"
#include "compute/surface/segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

TEST(ConvexShare, OfAShapeThatRanThroughAGapIsLess) {
    const Geometry grid({60, 50, 50}, {2, 2, 2});
    ExecResources resources(1);
    Volume phi(grid, *resources.context().pool, "signed distance");
    const auto shareOf = [&](const auto& distance) {
        for (int z = 0; z < 50; ++z)
            for (int y = 0; y < 50; ++y)
                for (int x = 0; x < 60; ++x)
                    phi.view()(x, y, z) =
                        static_cast<float>(distance(Vec3{2.0 * x, 2.0 * y, 2.0 * z}));
        return convexShare(phi);
    };
    const auto ball = [](Vec3 at, Vec3 center, double radius) {
        return length(at - center) - radius;
    };
    EXPECT_GT(shareOf([&](Vec3 at) { return ball(at, {60, 50, 50}, 30); }), 0.97);
    // Half a ball, as a ventricle that ends at a plane.
    EXPECT_GT(shareOf([&](Vec3 at) {
                  return std::max(ball(at, {60, 50, 50}, 30), at.z - 50);
              }),
              0.96);
    // Two balls that a ring of 20 mm joins: 91 ml in a hull of 118 ml.
    EXPECT_NEAR(shareOf([&](Vec3 at) {
                    return std::min({ball(at, {35, 50, 50}, 22), ball(at, {83, 50, 50}, 22),
                                     std::max(std::hypot(at.y - 50, at.z - 50) - 10,
                                              std::abs(at.x - 59) - 24)});
                }),
                0.78, 0.04);
    EXPECT_EQ(shareOf([](Vec3) { return 1; }), 0);
}

} // namespace
} // namespace systole
