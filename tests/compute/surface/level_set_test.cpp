// The motion of a level set against what is known of spheres, and the band against the plain loop.
#include "compute/core/error.h"
#include "compute/surface/level_set.h"
#include "compute/surface/level_set_math.h"
#include "compute/surface/redistance.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using test::TestVolume;

constexpr double spacing = 0.5; // mm
constexpr Size3 size{48, 48, 48};

double distanceFromMiddle(double x, double y, double z) {
    return spacing * std::hypot(x - 23.5, y - 23.5, z - 23.5);
}

TestVolume ball(double radius) {
    return {size,
            [=](double x, double y, double z) { return distanceFromMiddle(x, y, z) - radius; }};
}

/// Radius of the ball with the volume inside.
double radiusOf(VolumeView<const float> phi) {
    double volume = 0;
    for (const float value : phi.span())
        volume += std::clamp(0.5 - static_cast<double>(value) / spacing, 0.0, 1.0) * spacing *
                  spacing * spacing;
    return std::cbrt(3 * volume / (4 * M_PI));
}

struct Moved {
    double radius, time;
};

Moved evolve(double radius, float data, float smoothness, int rounds, const ExecContext& ctx) {
    TestVolume phi = ball(radius), force(size, [=](double, double, double) { return data; });
    LevelSetForce pulling{.data = force.view()};
    pulling.smoothness = smoothness;
    for (int round = 0; round < rounds; ++round) {
        evolveLevelSet(phi.view(), pulling, spacing, levelSetSteps, ctx);
        redistance(phi.view(), {spacing, spacing, spacing}, HUGE_VALF, ctx);
    }
    const float step = front::stableStep(static_cast<float>(spacing), 1, smoothness);
    return {radiusOf(phi.view()), static_cast<double>(step) * levelSetSteps * rounds};
}

TEST(LevelSet, ABallGrowsAndShrinksByItsSpeed) {
    ExecResources resources(2);
    const Moved grown = evolve(5, 1, 0, 4, resources.context());
    EXPECT_GT(grown.time, 2);
    EXPECT_NEAR(grown.radius, 5 + grown.time, 0.2);
    const Moved shrunk = evolve(9, -0.5f, 0, 4, resources.context());
    EXPECT_NEAR(shrunk.radius, 9 - 0.5 * shrunk.time, 0.2);
}

// dr/dt = -2 s / r has the solution r² = r0² - 4 s t.
TEST(LevelSet, CurvatureShrinksABallAsTheSolutionSays) {
    ExecResources resources(2);
    const Moved run = evolve(6, 0, 1, 20, resources.context());
    EXPECT_GT(4 * run.time, 8);
    EXPECT_NEAR(run.radius, std::sqrt(36 - 4 * run.time), 0.2);
}

TEST(LevelSet, APriorHoldsAgainstAWeakerForce) {
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    TestVolume phi = ball(6), force(size, [](double, double, double) { return 0.3; }),
               prior = ball(6);
    LevelSetForce pulling{.data = force.view(), .prior = prior.view()};
    pulling.priorWeight = 0.6f;
    pulling.priorSoftness = 2;
    pulling.smoothness = 0;
    for (int round = 0; round < 20; ++round) {
        evolveLevelSet(phi.view(), pulling, spacing, levelSetSteps, ctx);
        redistance(phi.view(), {spacing, spacing, spacing}, HUGE_VALF, ctx);
    }
    // Balance where the prior's part is 0.6 * (r - 6) / 2 = 0.3.
    EXPECT_NEAR(radiusOf(phi.view()), 7, 0.15);
}

/// A step of every voxel within the band, all from the values before it.
void moveEveryVoxel(TestVolume& volume, const LevelSetForce& force) {
    TestVolume before = volume;
    const VolumeView<const float> phi = before.view();
    const auto h = static_cast<float>(spacing);
    const float time = front::stableStep(h, 1 + force.priorWeight, force.smoothness);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const float here = phi(x, y, z);
                if (std::abs(here) > levelSetBand * h)
                    continue;
                const float speed =
                    force.data(x, y, z) +
                    force.priorWeight *
                        front::pullTowards(force.prior(x, y, z), here, force.priorSoftness);
                const float outward =
                    speed * front::upwindSlope(front::slopesOf(phi, x, y, z, h), speed);
                const float flattening =
                    force.smoothness * front::curvatureTimesSlope(phi, x, y, z, h);
                volume.view()(x, y, z) = here + time * (flattening - outward);
            }
}

TEST(LevelSet, TheBandComputesWhatThePlainLoopDoesForAnyNumberOfThreads) {
    TestVolume begin(size, [](double x, double y, double z) {
        return distanceFromMiddle(x, y, z) - 6 - std::sin(0.6 * x) - std::cos(0.5 * y + 0.3 * z);
    });
    TestVolume force = test::noiseVolume(size, 3), prior = ball(7);
    LevelSetForce pulling{.data = force.view(), .prior = prior.view()};
    pulling.priorWeight = 0.3f;
    const auto after = [&](int threads) {
        ExecResources resources(threads);
        TestVolume phi = begin;
        evolveLevelSet(phi.view(), pulling, spacing, levelSetSteps, resources.context());
        return phi.voxels;
    };
    TestVolume reference = begin;
    for (int step = 0; step < levelSetSteps; ++step)
        moveEveryVoxel(reference, pulling);
    EXPECT_GT(test::largestDifference(begin.voxels, reference.voxels), 0.1);
    EXPECT_LT(test::largestDifference(after(1), reference.voxels), 1e-5);
    EXPECT_EQ(after(1), after(3));
}

TEST(LevelSet, RefusesViewsOfOtherSizesAndBadWeights) {
    ExecResources resources(1);
    const ExecContext ctx = resources.context();
    TestVolume phi = ball(6), force = ball(1), small({4, 4, 4}, distanceFromMiddle);
    LevelSetForce pulling{.data = small.view()};
    EXPECT_THROW(evolveLevelSet(phi.view(), pulling, spacing, 1, ctx), ComputeError);
    pulling.data = force.view();
    pulling.smoothness = NAN;
    EXPECT_THROW(evolveLevelSet(phi.view(), pulling, spacing, 1, ctx), ComputeError);
}

} // namespace
} // namespace systole
