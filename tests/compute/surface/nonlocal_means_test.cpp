// Non-local means on a level set: band and neighbors against brute force in double precision, the
// heat equation against its sums, and surfaces with a known place.
#include "compute/core/error.h"
#include "compute/lab/kernels/band_work.h"
#include "compute/ops/smooth.h"
#include "compute/surface/nonlocal_heat.h"
#include "tests/compute/surface/band_lists.h"
#include "tests/support/shapes.h"

#include <gmock/gmock.h>

namespace systole {
namespace {

using namespace test;

class NonlocalMeans : public testing::Test {
protected:
    Lists found(const std::vector<float>& phi, Size3 size, const std::vector<int>& band,
                const NonlocalMeansParameters& p, Backend backend, int threads = 2) {
        ExecResources team(threads);
        ExecContext ctx = team.context();
        ctx.backend = backend;
        Lists lists(static_cast<int>(band.size()), nlm::keptNeighbors(p, band.size()));
        findNeighbors({phi.data(), size}, band, p, lists.view(), ctx);
        return lists;
    }
    std::vector<int> bandOf(const std::vector<float>& phi, Size3 size, float delta) {
        const Buffer<int> band = narrowBand({phi.data(), size}, delta, resources.context());
        return {band.span().begin(), band.span().end()};
    }

    ExecResources resources{2};
    // Runs against the border on all sides of x.
    const Size3 size{15, 19, 17};
    const std::vector<float> noisy = sampled(sphere({7, 9.2, 8.1}, 7.6), size, 0.3, 3);
};

TEST_F(NonlocalMeans, BandHoldsAllVoxelsNearTheZeroLevelInTheirOrder) {
    std::vector<int> expected;
    for (std::size_t i = 0; i < noisy.size(); ++i)
        if (noisy[i] >= -2 && noisy[i] <= 2)
            expected.push_back(static_cast<int>(i));
    EXPECT_EQ(bandOf(noisy, size, 2), expected);
}

TEST_F(NonlocalMeans, WhatHoldsNoSurfaceIsRefused) {
    const std::vector<float> far(size.voxels(), 50);
    EXPECT_THROW(bandOf(far, size, 3), ComputeError);
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
        std::vector<float> broken = noisy;
        broken[static_cast<std::size_t>(3 + 15 * (5 + 19 * 7))] = bad;
        try {
            bandOf(broken, size, 3);
            ADD_FAILURE() << bad;
        } catch (const ComputeError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("3, 5, 7"));
        }
    }
}

TEST_F(NonlocalMeans, NeighborsAreThoseOfBruteForceInDoublePrecision) {
    const std::vector<int> band = bandOf(noisy, size, 1.6f);
    ASSERT_GT(band.size(), 900u);
    for (const int radius : {1, 2})
        for (const int window : {0, 3}) {
            SCOPED_TRACE(testing::Message() << "radius " << radius << ", window " << window);
            NonlocalMeansParameters p;
            p.patchRadius = radius;
            p.window = window;
            const ExactDistance exact(noisy, size, band, radius);
            const Lists fast = found(noisy, size, band, p, Backend::Cpu);
            expectNearest(fast, exact, window);
            expectNearest(found(noisy, size, band, p, Backend::CpuReference), exact, window);
            EXPECT_EQ(fast, found(noisy, size, band, p, Backend::Cpu, 5)); // any number of threads
        }
}

/// A plane along the grid: hundreds of patches are the same, so that places in the band decide.
TEST_F(NonlocalMeans, AmongEqualPatchesTheFirstInTheBandAreKept) {
    const Distance plane = [](Vec3 p) { return p.z - 8.25; };
    const std::vector<float> phi = sampled(plane, size);
    const std::vector<int> band = bandOf(phi, size, 1);
    const NonlocalMeansParameters p;
    const Lists lists = found(phi, size, band, p, Backend::Cpu);
    const std::size_t plane0 = band.size() / 2; // two planes are in the band
    for (const std::size_t j : {std::size_t{0}, plane0 - 1, plane0, band.size() - 1})
        for (std::size_t k = 0; k < 96; ++k) {
            EXPECT_EQ(lists.element[j * 96 + k], static_cast<int>((j < plane0 ? 0 : plane0) + k));
            EXPECT_EQ(lists.distance[j * 96 + k], 0);
        }
}

/// Small bands have as many neighbors as there are elements, and a leaf that isn't full.
TEST_F(NonlocalMeans, SmallBandsKeepAllTheirElements) {
    std::vector<float> phi(size.voxels(), 9);
    for (const std::size_t i : {0u, 100u, 1000u, 1001u, 4844u})
        phi[i] = -0.1f * static_cast<float>(i % 7);
    const std::vector<int> band = bandOf(phi, size, 2);
    const NonlocalMeansParameters p;
    const Lists lists = found(phi, size, band, p, Backend::Cpu);
    ASSERT_EQ(lists.m, 5);
    expectNearest(lists, ExactDistance(phi, size, band, p.patchRadius), 0);
    EXPECT_NO_THROW(denoiseSurface({phi.data(), size}, {1, 1, 1}, p, resources.context()));
}

TEST_F(NonlocalMeans, FeaturesNeverOverstateADistance) {
    const std::vector<int> band = bandOf(noisy, size, 2);
    for (const int radius : {1, 2}) {
        const ExactDistance exact(noisy, size, band, radius);
        std::vector<std::array<float, nlm::features>> all(band.size());
        float scale = 0;
        for (std::size_t e = 0; e < band.size(); ++e) {
            float f[nlm::features];
            nlm::featuresOf(
                radius,
                [&](int n) {
                    return noisy[static_cast<std::size_t>(
                        nlm::patchOffset(size, exact.voxel(static_cast<int>(e)), radius, n))];
                },
                f);
            for (std::size_t k = 0; k < nlm::features; ++k) {
                all[e][k] = f[k];
                scale = std::max(scale, std::abs(f[k]));
            }
        }
        double closest = 0;
        for (std::size_t a = 0; a < band.size(); a += 7)
            for (std::size_t b = 0; b < band.size(); ++b) {
                float sum = 0;
                for (std::size_t k = 0; k < nlm::features; ++k)
                    sum += (all[a][k] - all[b][k]) * (all[a][k] - all[b][k]);
                const double distance = exact(static_cast<int>(a), static_cast<int>(b));
                ASSERT_LE(sum, nlm::prunedAbove(static_cast<float>(distance), scale));
                if (distance > 0)
                    closest = std::max(closest, static_cast<double>(sum) / distance);
            }
        EXPECT_GT(closest, 0.9); // the bound is of use
    }
}

/// Eqs. 15 and 16 as they stand, in double precision.
TEST_F(NonlocalMeans, HeatEquationIsThatOfThePaper) {
    const Vec3 spacing{0.8, 1.1, 1.7};
    NonlocalMeansParameters p;
    p.delta = 1.2;
    const double side = std::cbrt(0.8 * 1.1 * 1.7);
    const std::vector<int> band = bandOf(noisy, size, static_cast<float>(1.2 * side));
    Lists lists = found(noisy, size, band, p, Backend::Cpu);
    const auto m = static_cast<std::size_t>(lists.m);
    std::vector<double> weight(lists.element.size()), phi(noisy.begin(), noisy.end());
    double mean = 0, most = 0;
    for (const float d : lists.distance)
        mean += static_cast<double>(d) / static_cast<double>(lists.distance.size());
    const ExactDistance exact(noisy, size, band, p.patchRadius);
    for (std::size_t j = 0; j < band.size(); ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < m; ++k) {
            const Voxel a = exact.voxel(static_cast<int>(j)),
                        b = exact.voxel(lists.element[j * m + k]);
            const Vec3 d{spacing.x * (a.x - b.x), spacing.y * (a.y - b.y), spacing.z * (a.z - b.z)};
            sum += weight[j * m + k] =
                std::exp(-dot(d, d) / (p.c1 * side * side) -
                         static_cast<double>(lists.distance[j * m + k]) / (p.c2 * mean));
        }
        most = std::max(most, sum);
    }
    for (int n = 0; n < p.iterations; ++n) {
        const std::vector<double> old = phi;
        for (std::size_t j = 0; j < band.size(); ++j)
            for (std::size_t k = 0; k < m; ++k) {
                const int l = band[static_cast<std::size_t>(lists.element[j * m + k])];
                phi[static_cast<std::size_t>(band[j])] +=
                    weight[j * m + k] / most *
                    (old[static_cast<std::size_t>(l)] - old[static_cast<std::size_t>(band[j])]);
            }
    }
    std::vector<float> result = noisy;
    const DenoiseReport report =
        denoiseSurface({result.data(), size}, spacing, p, resources.context());
    EXPECT_EQ(report.elements, static_cast<int>(band.size()));
    EXPECT_NEAR(report.meanDistance, mean, 1e-4 * mean);
    EXPECT_GT(report.largestChange, 0.1);
    double worst = 0;
    for (std::size_t i = 0; i < result.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(result[i]) - phi[i]));
    EXPECT_LT(worst, 1e-5);
}

/// One surface in two units, a power of two apart, has the same bits.
TEST_F(NonlocalMeans, UnitsMakeNoDifference) {
    std::vector<float> large = noisy, result = noisy;
    for (float& value : large)
        value *= 4;
    const NonlocalMeansParameters p;
    denoiseSurface({result.data(), size}, {1, 1, 1}, p, resources.context());
    denoiseSurface({large.data(), size}, {4, 4, 4}, p, resources.context());
    for (std::size_t i = 0; i < result.size(); ++i)
        ASSERT_EQ(large[i], 4 * result[i]) << i;
}

TEST_F(NonlocalMeans, RoundsStartFromARestoredDistance) {
    std::vector<float> phi = noisy;
    NonlocalMeansParameters p;
    p.rounds = 3;
    int calls = 0;
    denoiseSurface({phi.data(), size}, {1, 1, 1}, p, resources.context(),
                   [&](VolumeView<float> view) {
                       EXPECT_EQ(view.data, phi.data());
                       ++calls;
                   });
    EXPECT_EQ(calls, 2);
}

TEST_F(NonlocalMeans, EveryRowOfTheTableIsRead) {
    ParamSet values(nonlocalMeansTable());
    const NonlocalMeansParameters standard = NonlocalMeansParameters::from(values);
    EXPECT_EQ(standard.neighbors, NonlocalMeansParameters{}.neighbors);
    values.set("delta", 2.5);
    values.set("patch", 1);
    values.set("neighbors", 31);
    values.set("c1", 7.0);
    values.set("c2", 3.0);
    values.set("iterations", 9);
    values.set("window", 5);
    values.set("rounds", 2);
    values.set("grid", 1.7);
    const NonlocalMeansParameters p = NonlocalMeansParameters::from(values);
    EXPECT_EQ(p.delta, 2.5);
    EXPECT_EQ(p.patchRadius, 1);
    EXPECT_EQ(p.neighbors, 31);
    EXPECT_EQ(p.c1, 7);
    EXPECT_EQ(p.c2, 3);
    EXPECT_EQ(p.iterations, 9);
    EXPECT_EQ(p.window, 5);
    EXPECT_EQ(p.rounds, 2);
    EXPECT_EQ(p.grid, 1.7);
}

class NonlocalMeansOfShapes : public testing::TestWithParam<int> {
protected:
    const Shape shape = shapes()[static_cast<std::size_t>(GetParam())];
    ExecResources resources{0};

    void expectCloser(const char* preset, double factor) {
        std::vector<float> phi = sampled(shape.drawn, shapeSize, 0.4);
        const ZeroLevel before = zeroLevel(phi, shapeSize, shape.truth);
        const auto p = NonlocalMeansParameters::from(ParamSet(nonlocalMeansTable(), preset));
        denoiseSurface({phi.data(), shapeSize}, {1, 1, 1}, p, resources.context());
        const ZeroLevel after = zeroLevel(phi, shapeSize, shape.truth);
        EXPECT_GT(before.mean, 0.25);
        EXPECT_LT(after.mean * factor, before.mean) << shape.name;
        const double volume = volumeInside(sampled(shape.truth));
        EXPECT_NEAR(volumeInside(phi), volume, 0.01 * volume) << shape.name;
    }
};

TEST_P(NonlocalMeansOfShapes, NoiseIsAtLeastHalvedAndTheVolumeStays) {
    expectCloser("default", 2.5);
}
TEST_P(NonlocalMeansOfShapes, LiveAsWell) { expectCloser("live", 2.5); }

INSTANTIATE_TEST_SUITE_P(All, NonlocalMeansOfShapes, testing::Range(0, 5));

/// Where a Gaussian leaves as much noise on the faces of a cube, it has moved edges and corners
/// more than twice as far.
TEST(NonlocalMeansCorners, AreKeptBetterThanByAGaussianThatLeavesAsMuchNoise) {
    const Shape cube = shapes()[2];
    const Vec3 center{23.6, 23.3, 23.8};
    // How many faces of the cube are within 2 voxels of a point on it; 0: between the two.
    const auto faces = [&](Vec3 p) {
        const double c = std::cos(0.5), s = std::sin(0.5);
        Vec3 d = p - center;
        d = {c * d.x + s * d.y, c * d.y - s * d.x, d.z};
        double q[3] = {std::abs(d.x), std::abs(c * d.y + s * d.z), std::abs(c * d.z - s * d.y)};
        std::sort(q, q + 3);
        return q[0] > 10 ? 3 : q[1] > 10 ? 2 : q[1] < 7 ? 1 : 0;
    };
    ExecResources resources(0);
    const std::vector<float> noisy = sampled(cube.drawn, shapeSize, 0.4);
    std::vector<float> denoised = noisy, smoothed(noisy.size());
    denoiseSurface({denoised.data(), shapeSize}, {1, 1, 1}, {}, resources.context());
    smoothGaussian({noisy.data(), shapeSize}, {smoothed.data(), shapeSize}, {1.1, 1.1, 1.1},
                   resources.context());
    const auto error = [&](const std::vector<float>& phi, int near) {
        return zeroLevel(phi, shapeSize, cube.truth, [&](Vec3 p) { return faces(p) == near; }).mean;
    };
    EXPECT_LE(error(denoised, 1), error(smoothed, 1));
    EXPECT_LT(2 * error(denoised, 2), error(smoothed, 2));
    EXPECT_LT(2 * error(denoised, 3), error(smoothed, 3));
}

/// False handles thinner than the noise disappear: the ring has one hole, of one piece.
TEST(NonlocalMeansTopology, HandlesOfNoiseDisappear) {
    const Shape ring = shapes()[4];
    std::vector<float> phi = sampled(ring.drawn, shapeSize, 0.3);
    // Counts voxels inside the false bars, away from the ring.
    const auto insideBars = [&](const std::vector<float>& values) {
        int count = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Voxel v = nlm::voxelAt(shapeSize, static_cast<int>(i));
            const Vec3 p{static_cast<double>(v.x), static_cast<double>(v.y),
                         static_cast<double>(v.z)};
            count += values[i] < 0 && ring.truth(p) > 1.5;
        }
        return count;
    };
    const int before = insideBars(phi);
    ExecResources resources(0);
    NonlocalMeansParameters p;
    denoiseSurface({phi.data(), shapeSize}, {1, 1, 1}, p, resources.context());
    EXPECT_GT(before, 5);
    EXPECT_LE(insideBars(phi), before / 4);
}

// The reference is a least-squares fit of a linear function to each patch, by its normal equations.
TEST_F(NonlocalMeans, TheRestOfAPatchIsWhatALinearFunctionLeaves) {
    const Size3 size{12, 11, 10};
    const std::vector<float> phi = sampled(sphere({5, 5.2, 4.1}, 3.4), size, 0.3, 3);
    std::vector<float> rests(phi.size(), -1);
    ExecResources resources(2);
    const float delta = 1.5f;
    const VolumeView<const float> view(phi.data(), size);
    lab::patchRests(view, delta, {rests.data(), size}, resources.context());
    int inBand = 0;
    for (int z = 2; z < size.z - 2; ++z)
        for (int y = 2; y < size.y - 2; ++y)
            for (int x = 2; x < size.x - 2; ++x) {
                const std::size_t i = view.offset(x, y, z);
                if (std::abs(phi[i]) > delta) {
                    EXPECT_EQ(rests[i], 0) << i;
                    continue;
                }
                ++inBand;
                // Offsets from the center are orthogonal to one another and to a constant.
                double mean = 0, slope[3] = {}, squares = 0;
                const auto over = [&](const auto& body) {
                    for (int c = -2; c <= 2; ++c)
                        for (int b = -2; b <= 2; ++b)
                            for (int a = -2; a <= 2; ++a)
                                body(a, b, c, static_cast<double>(view(x + a, y + b, z + c)));
                };
                over([&](int a, int b, int c, double value) {
                    mean += value / 125;
                    slope[0] += a * value / 250; // Σ a² = 25 · 10
                    slope[1] += b * value / 250;
                    slope[2] += c * value / 250;
                });
                over([&](int a, int b, int c, double value) {
                    const double left = value - mean - slope[0] * a - slope[1] * b - slope[2] * c;
                    squares += left * left;
                });
                EXPECT_NEAR(rests[i], std::sqrt(squares), 1e-5) << i;
            }
    EXPECT_GT(inBand, 50);
}

} // namespace
} // namespace systole
