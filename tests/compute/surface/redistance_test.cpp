// Distances to levels: against planes and balls, against all points, and again of what they gave.
#include "compute/core/error.h"
#include "compute/surface/redistance.h"
#include "tests/compute/surface/surface_support.h"
#include "tests/support/compute_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace systole {
namespace {

std::vector<float> distanceOf(test::TestVolume values, float level, Inside inside, Vec3 spacing,
                              Backend backend = Backend::Cpu, int threads = 2) {
    ExecResources resources(threads);
    ExecContext ctx = resources.context();
    ctx.backend = backend;
    std::vector<float> phi(values.voxels.size());
    distanceToLevel(values.view(), level, inside, spacing, {phi.data(), values.size}, ctx);
    return phi;
}

/// Largest and mean error against a formula in voxels, where the formula is within `band`.
struct Errors {
    double largest = 0, mean = 0;
};
Errors errorsOf(const std::vector<float>& phi, Size3 size, const test::Formula& truth,
                double band) {
    const VolumeView<const float> view(phi.data(), size);
    Errors errors;
    double sum = 0, count = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const double expected = truth(x, y, z);
                if (std::abs(expected) > band)
                    continue;
                const double error = std::abs(static_cast<double>(view(x, y, z)) - expected);
                errors.largest = std::max(errors.largest, error);
                sum += error;
                ++count;
            }
    errors.mean = sum / count;
    return errors;
}

TEST(DistanceToLevel, IsExactForAnObliquePlane) {
    const Vec3 spacing{0.7, 1.1, 2.5};
    const double n[3] = {0.48, 0.6, 0.64}; // unit length
    const auto plane = [&](double x, double y, double z) {
        return n[0] * x * spacing.x + n[1] * y * spacing.y + n[2] * z * spacing.z - 22;
    };
    const Size3 size{28, 24, 12};
    // Gray values that rise towards the inside, by another slope.
    const test::TestVolume gray(
        size, [&](double x, double y, double z) { return 100 - 7 * plane(x, y, z); });
    const auto phi = distanceOf(gray, 100, Inside::Above, spacing);
    // Beyond the grid's edge the plane isn't known: voxels whose foot lies there are left out.
    const VolumeView<const float> view(phi.data(), size);
    for (int z = 3; z < 9; ++z)
        for (int y = 8; y < 16; ++y)
            for (int x = 10; x < 18; ++x)
                ASSERT_NEAR(view(x, y, z), plane(x, y, z), 2e-3) << x << " " << y << " " << z;
}

TEST(DistanceToLevel, FollowsABallWithinAFewHundredthsOfAVoxel) {
    const test::Ball ball{{19.7, 20.2, 19.9}, 11.3};
    // Steep and curved gray values, as of a blurred border.
    const test::TestVolume gray({40, 40, 40}, [&](double x, double y, double z) {
        return 200 / (1 + std::exp(ball(x, y, z)));
    });
    const auto phi = distanceOf(gray, 100, Inside::Above, {1, 1, 1});
    const Errors near = errorsOf(phi, gray.size, ball, 2);
    EXPECT_LT(near.largest, 0.06);
    EXPECT_LT(near.mean, 0.02);
    const Errors all = errorsOf(phi, gray.size, ball, 9);
    EXPECT_LT(all.largest, 0.1);
}

TEST(DistanceToLevel, FollowsABallOnThickSlices) {
    const Vec3 spacing{0.7, 0.7, 5};
    const test::Ball ball{{35, 35, 6}, 20, spacing};
    const test::TestVolume values({70, 70, 13}, ball);
    const auto phi = distanceOf(values, 0, Inside::Below, spacing);
    const Errors errors = errorsOf(phi, values.size, ball, 3);
    EXPECT_LT(errors.mean, 0.1);
    EXPECT_LT(errors.largest, 0.7);
}

class LevelOfNoise : public ::testing::TestWithParam<int> {};

// The fast spreading of points may choose another point only where both are about as near.
TEST_P(LevelOfNoise, IsNearThatOfAllPoints) {
    const bool smooth = GetParam() == 0;
    const Vec3 spacing{1, 0.8, 1.7};
    const test::Ball ball{{12, 13, 9}, 7, spacing};
    const test::TestVolume noise = test::noiseVolume({26, 25, 18}, 5);
    test::TestVolume values({26, 25, 18}, ball);
    for (std::size_t i = 0; i < values.voxels.size(); ++i)
        values.voxels[i] += (smooth ? 0.3f : 3.0f) * noise.voxels[i];
    const auto fast = distanceOf(values, 0, Inside::Below, spacing);
    const auto all = distanceOf(values, 0, Inside::Below, spacing, Backend::CpuReference);
    std::vector<double> errors;
    for (std::size_t i = 0; i < fast.size(); ++i) {
        ASSERT_EQ(fast[i] < 0, values.voxels[i] < 0);
        errors.push_back(std::abs(static_cast<double>(fast[i]) - static_cast<double>(all[i])));
    }
    std::ranges::sort(errors);
    const auto at = [&](double part) {
        return errors[static_cast<std::size_t>(part * static_cast<double>(errors.size() - 1))];
    };
    EXPECT_LT(at(0.9), 1e-5);
    EXPECT_LT(at(0.99), 0.2);
    EXPECT_LT(at(1), 0.8);
    EXPECT_EQ(fast, distanceOf(values, 0, Inside::Below, spacing, Backend::Cpu, 1));
}
INSTANTIATE_TEST_SUITE_P(Noise, LevelOfNoise, ::testing::Values(0, 1));

TEST(Redistance, KeepsTheZeroLevelAndTheSlope) {
    const test::Ball ball{{20.3, 19.6, 20.1}, 12};
    // Slopes between 0.3 and 3, as after rounds of denoising.
    const test::TestVolume values({41, 41, 41}, [&](double x, double y, double z) {
        return ball(x, y, z) * (0.3 + 2.7 * std::abs(std::sin(0.2 * x + 0.1 * y)));
    });
    std::vector<float> phi = values.voxels;
    ExecResources resources(2);
    const VolumeView<float> view(phi.data(), values.size);
    redistance(view, {1, 1, 1}, INFINITY, resources.context());
    EXPECT_LT(errorsOf(phi, values.size, ball, 3).largest, 0.2);
    EXPECT_LT(errorsOf(phi, values.size, ball, 3).mean, 0.03);
    // A distance remains one, round after round.
    std::vector<float> again = phi;
    const VolumeView<float> second(again.data(), values.size);
    for (int round = 0; round < 5; ++round)
        redistance(second, {1, 1, 1}, INFINITY, resources.context());
    EXPECT_LT(errorsOf(again, values.size, ball, 3).mean, 0.06);
    double volume = 0, before = 0;
    for (std::size_t i = 0; i < phi.size(); ++i) {
        before += std::clamp(0.5 - static_cast<double>(phi[i]), 0.0, 1.0);
        volume += std::clamp(0.5 - static_cast<double>(again[i]), 0.0, 1.0);
    }
    // The linear interpolant of a curved surface lies inside it, by its curvature in each round.
    EXPECT_NEAR(volume, before, 0.01 * before);
}

TEST(Redistance, IsTheSameWithinItsBand) {
    const test::Ball ball{{20.3, 19.6, 20.1}, 12};
    const test::TestVolume values({41, 41, 41}, [&](double x, double y, double z) {
        return ball(x, y, z) * (1 + 0.5 * std::sin(0.3 * x));
    });
    std::vector<float> all = values.voxels, near = values.voxels;
    ExecResources resources(2);
    redistance({all.data(), values.size}, {1, 1, 1}, INFINITY, resources.context());
    redistance({near.data(), values.size}, {1, 1, 1}, 4, resources.context());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::abs(near[i]) <= 4) {
            ASSERT_EQ(near[i], all[i]) << i;
        }
        ASSERT_NEAR(near[i], all[i], 0.5) << i;
    }
}

TEST(Redistance, TakesAVoxelAtTheLevelAsOutside) {
    std::vector<float> phi{-1, 0, 1, -2, -1, 3, -1, 0, 1};
    ExecResources resources(1);
    redistance({phi.data(), {9, 1, 1}}, {2, 1, 1}, INFINITY, resources.context());
    EXPECT_FLOAT_EQ(phi[1], 0);
    EXPECT_FLOAT_EQ(phi[0], -2);
    EXPECT_FLOAT_EQ(phi[7], 0);
    EXPECT_LT(phi[3], 0);
    EXPECT_GT(phi[2], 0);
}

TEST(DistanceToLevel, NeedsACrossing) {
    const test::TestVolume flat({5, 5, 5}, [](double, double, double) { return 3; });
    EXPECT_THAT(
        [&] {
            distanceOf(flat, 4, Inside::Above, {1, 1, 1});
        },
        ::testing::ThrowsMessage<ComputeError>(::testing::HasSubstr("no voxel lies")));
    EXPECT_THAT(
        [&] {
            distanceOf(flat, 4, Inside::Below, {1, 1, 1});
        },
        ::testing::ThrowsMessage<ComputeError>(::testing::HasSubstr("all voxels lie")));
}

TEST(DistanceToLevel, AnswersACancellation) {
    const test::Ball ball{{20, 20, 20}, 9};
    test::TestVolume values({40, 40, 40}, ball);
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    ctx.cancel.cancel();
    EXPECT_THROW(redistance(values.view(), {1, 1, 1}, 3, ctx), Cancelled);
}

} // namespace
} // namespace systole
