// The mean in time against its formula in double precision, and the place that denoising keeps.
#include "compute/core/voxel.h"
#include "compute/surface/mean_in_time.h"
#include "compute/surface/mean_place.h"
#include "compute/surface/signed_distance.h"
#include "compute/surface/surface.h"
#include "compute/surface/surface_methods.h"
#include "tests/support/shapes.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using namespace test;

class MeanOfFrames : public ::testing::Test {
protected:
    std::vector<float> mean(const std::vector<float>& other, const MeanInTimeParameters& p) {
        std::vector<float> out = own;
        MeanInTime sum({own.data(), size}, {1, 1, 1}, p, ctx);
        sum.add({other.data(), size}, 2, ctx);
        sum.finish({out.data(), size}, ctx);
        weight = sum.meanWeight();
        return out;
    }
    double patchDistance(const std::vector<float>& other, Voxel p) const {
        double sum = 0;
        for (int z = -2; z <= 2; ++z)
            for (int y = -2; y <= 2; ++y)
                for (int x = -2; x <= 2; ++x) {
                    const auto at = static_cast<std::size_t>(
                        std::clamp(p.x + x, 0, size.x - 1) +
                        size.x * (std::clamp(p.y + y, 0, size.y - 1) +
                                  size.y * std::clamp(p.z + z, 0, size.z - 1)));
                    sum +=
                        std::pow(static_cast<double>(own[at]) - static_cast<double>(other[at]), 2);
                }
        return sum;
    }

    const Size3 size{19, 18, 17};
    const std::vector<float> own = sampled(sphere({9, 9.2, 8.1}, 5.6), size, 0.3, 3);
    ExecResources resources{2};
    ExecContext ctx = resources.context();
    double weight = 0;
};

TEST_F(MeanOfFrames, IsThatOfItsFormula) {
    const std::vector<float> other = sampled(sphere({9.6, 9.2, 8.1}, 6), size, 0.3, 4);
    const MeanInTimeParameters p;
    const std::vector<float> out = mean(other, p);
    MeanInTime noise({own.data(), size}, {1, 1, 1}, p, ctx);
    int inBand = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const auto i = static_cast<std::size_t>(x + size.x * (y + size.y * z));
                if (std::abs(own[i]) > 5) {
                    EXPECT_EQ(out[i], own[i]);
                    continue;
                }
                const double beyond =
                    std::max(0.0, patchDistance(other, {x, y, z}) - noise.noiseDistance());
                const double w = 0.64 * std::exp(-beyond / 125);
                const double expected =
                    (static_cast<double>(own[i]) + w * static_cast<double>(other[i])) / (1 + w);
                ASSERT_NEAR(static_cast<double>(out[i]), expected, 1e-5);
                ++inBand;
            }
    EXPECT_GT(inBand, 1000);
}

TEST_F(MeanOfFrames, KnowsTheNoiseOfTwoPatches) {
    const Size3 large{48, 48, 48}; // few patches reach its border
    const std::vector<float> plane =
        sampled([](Vec3 p) { return 0.6 * p.x + 0.8 * p.z - 33.6; }, large, 0.3, 3);
    const MeanInTime noisy({plane.data(), large}, {1, 1, 1}, {}, ctx);
    EXPECT_NEAR(noisy.noiseDistance(), 2 * 125 * 0.09, 0.05 * 2 * 125 * 0.09);
}

TEST_F(MeanOfFrames, LeavesOutWhatLiesElsewhere) {
    const MeanInTimeParameters p;
    const std::vector<float> same = mean(own, p);
    for (std::size_t i = 0; i < own.size(); ++i)
        ASSERT_NEAR(same[i], own[i], 1e-5);
    EXPECT_NEAR(weight, 0.64, 1e-6);
    mean(sampled(sphere({9, 9.2, 8.1}, 5.6), size, 0.3, 9), p);
    EXPECT_GT(weight, 0.6); // noise alone takes nothing away
    mean(sampled(sphere({9, 9.2, 8.1}, 1.6), size, 0.3, 9), p);
    EXPECT_LT(weight, 0.02);
}

/// Balls as labels: small ones lost a tenth to all of their volume.
TEST(MeanPlace, SmallBallsKeepTheirSize) {
    ExecResources resources(0);
    const Size3 size{32, 32, 32};
    for (const SurfaceMethod& method : surfaceMethods())
        for (const double radius : {3.5, 5.0, 8.0, 11.0}) {
            const std::vector<float> exact = sampled(sphere({15.6, 15.3, 15.8}, radius), size);
            std::vector<std::uint8_t> inside;
            for (const float value : exact)
                inside.push_back(value < 0 ? 1 : 0);
            std::vector<float> phi(exact.size());
            const ExecContext ctx = resources.context();
            signedDistance({inside.data(), size}, {1, 1, 1}, {phi.data(), size}, ctx);
            const double before = volumeInside(phi);
            denoiseSurface(method, {phi.data(), size}, Geometry(size, {1, 1, 1}, {}),
                           method.defaults(), ctx);
            EXPECT_NEAR(volumeInside(phi) / before, 1, radius < 5 ? 0.09 : 0.025)
                << method.name << ", radius " << radius;
        }
}

TEST(MeanPlace, GivesBackAShiftAndKeepsAShapeAndItsZeroMeanNoise) {
    ExecResources resources(2);
    const Size3 size{32, 32, 32};
    const std::vector<float> noisy = sampled(sphere({15.6, 15.3, 15.8}, 10), size, 0.3, 5);
    std::vector<float> shifted = sampled(sphere({15.6, 15.3, 15.8}, 9.7), size);
    keepMeanPlace({noisy.data(), size}, {shifted.data(), size}, {1, 1, 1}, {}, resources.context());
    const ZeroLevel level = zeroLevel(shifted, size, sphere({15.6, 15.3, 15.8}, 10));
    EXPECT_LT(level.mean, 0.03);
    EXPECT_LT(level.largest, 0.1);
}

} // namespace
} // namespace systole
