// The edge force against the error function: a smoothed step has its steepest place at the step.
#include "compute/surface/segment_forces.h"
#include "tests/support/volume_of.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace systole {
namespace {

class EdgeForce : public ::testing::Test {
protected:
    ExecResources resources{2};
    ExecContext ctx = resources.context();
    const Geometry geometry{{40, 24, 24}, {1, 1, 1}};
    static constexpr double step = 19.5; ///< x of the step

    /// Force of a step along x on a surface at `surface` mm, per x.
    std::vector<float> forceOfStep(float inside, float outside, double surface) {
        const SegmentGrid grid{
            test::volumeOf(geometry, *ctx.pool,
                           [&](int x, int, int) { return x < step ? inside : outside; }),
            std::vector<std::uint8_t>(geometry.voxels(), 1)};
        const Volume phi =
            test::volumeOf(geometry, *ctx.pool, [&](int x, int, int) { return x - surface; });
        Volume force = test::volumeOf(geometry, *ctx.pool, [](int x, int, int) {
            return x == 5 ? 0.0 : 0.5; // no data at x = 5
        });
        addEdgeForce(smoothedForEdges(grid, ctx), phi.view(), contrastAcross(grid, phi.view()), 100,
                     force.view(), ctx);
        std::vector<float> line;
        for (int x = 0; x < geometry.size().x; ++x)
            line.push_back(force.view()(x, 12, 12));
        return line;
    }
};

TEST_F(EdgeForce, PointsToTheStepFromBothSides) {
    const std::vector<float> line = forceOfStep(1, 0, 17);
    for (int x = 0; x < 40; ++x) {
        const auto i = static_cast<std::size_t>(x);
        if (x == 5) {
            EXPECT_EQ(line[i], 0);
        } else if (x < step && x > step - 6) {
            EXPECT_GT(line[i], 0.5f) << x;
        } else if (x > step && x < step + 6) {
            EXPECT_LT(line[i], 0.5f) << x;
        }
        EXPECT_LE(std::abs(line[i] - 0.5f), x == 5 ? 0.5f : static_cast<float>(edgeWeight));
    }
}

TEST_F(EdgeForce, IsTheSecondDerivativeOfTheErrorFunction) {
    const std::vector<float> line = forceOfStep(1, 0, 17);
    const double s = edgeScale;
    // Means of both sides, as the surface at x = 17 sees them: 5..15 is 1; 19..23 is 0 but for 19.
    const double contrast = 1.0 / 5 - 1;
    for (const int x : {16, 18, 19, 20, 22}) {
        const double d = x - step;
        const double second =
            d / (s * s * s * std::sqrt(2 * std::numbers::pi)) * std::exp(-d * d / (2 * s * s));
        const double expected = edgeWeight * std::clamp(4 * s * s * second / contrast, -1.0, 1.0);
        EXPECT_NEAR(line[static_cast<std::size_t>(x)] - 0.5, expected, 0.06 * edgeWeight) << x;
    }
}

TEST_F(EdgeForce, LeavesDarkBloodAlone) {
    const std::vector<float> line = forceOfStep(0, 1, 17);
    for (std::size_t x = 6; x < line.size(); ++x)
        EXPECT_EQ(line[x], 0.5f);
}

} // namespace
} // namespace systole
