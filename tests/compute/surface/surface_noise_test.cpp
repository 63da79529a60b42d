// The noise found in a surface, the coarser grid, and what denoising by both leaves.
#include "compute/surface/coarse_grid.h"
#include "compute/surface/isosurface.h"
#include "compute/surface/nonlocal_surface.h"
#include "compute/surface/surface_noise.h"
#include "tests/support/compute_support.h"
#include "tests/support/moved_border.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using namespace test;

constexpr Size3 extent{56, 56, 56};
constexpr Vec3 center{27.7, 27.5, 27.4}, cube{1, 1, 1};

struct Offset {
    double mean = 0, signedMean = 0;
};

class SurfaceWithNoise : public testing::Test {
protected:
    ExecResources resources{0};
    ExecContext ctx = resources.context();

    SurfaceNoise found(std::vector<float> phi, Vec3 spacing = cube) {
        return findNoise({phi.data(), extent}, spacing, ctx);
    }
    MovedBorder moved(const Distance& shape, double amplitude, double width,
                      std::uint64_t seed = 1) {
        return movedBorder(shape, extent, amplitude, width, seed, ctx);
    }
    DenoiseReport denoise(std::vector<float>& phi, const NonlocalMeansParameters& p = {}) {
        return denoiseNonlocally({phi.data(), extent}, cube, p, ctx);
    }
    /// Offset of the surface's points from the truth.
    Offset offset(const std::vector<float>& phi, const Distance& truth) {
        const TriangleMesh mesh =
            isosurface({phi.data(), extent}, Geometry(extent, cube, {}), SurfaceEdge::Closed, ctx);
        Offset sum;
        for (const auto& point : mesh.points) {
            const double off = truth({double{point[0]}, double{point[1]}, double{point[2]}});
            sum.mean += std::abs(off);
            sum.signedMean += off;
        }
        const auto points = static_cast<double>(mesh.points.size());
        return {sum.mean / points, sum.signedMean / points};
    }
};

TEST_F(SurfaceWithNoise, AmplitudeAndWidthAreFound) {
    const Distance shapes[] = {sphere(center, 20),
                               turned(test::box(center, {14, 14, 14}), center, 0.5),
                               turned(torus(center, 16, 5), center, 0.5)};
    for (const Distance& shape : shapes)
        for (const auto& [amplitude, width] : {std::pair{0.4, 1.0}, {0.8, 1.0}, {1.0, 1.5}}) {
            const SurfaceNoise noise = found(moved(shape, amplitude, width).phi);
            EXPECT_NEAR(noise.amplitude, amplitude, 0.3 * amplitude);
            EXPECT_NEAR(noise.width, width, 0.2 * width);
        }
}

TEST_F(SurfaceWithNoise, IsMeasuredInVoxels) {
    std::vector<float> phi = moved(sphere(center, 20), 0.8, 1).phi;
    const SurfaceNoise noise = found(phi);
    for (float& value : phi)
        value *= 4;
    const SurfaceNoise large = found(phi, {4, 4, 4});
    EXPECT_EQ(large.amplitude, noise.amplitude);
    EXPECT_EQ(large.width, noise.width);
    EXPECT_EQ(large.thickness, noise.thickness);
}

TEST_F(SurfaceWithNoise, IsNotSoughtInThickSlices) {
    // A plate whose faces lie 1.5 mm from the nearest centers of slices.
    constexpr Vec3 slices{1, 1, 5};
    std::vector<float> phi;
    for (int z = 0; z < extent.z; ++z)
        for (int i = 0; i < extent.x * extent.y; ++i)
            phi.push_back(static_cast<float>(std::abs(5 * z - 140) - 11.5));
    EXPECT_GT(found(phi, slices).thickness, 0); // no face is nearer to a voxel's center
    const DenoiseReport report = denoiseNonlocally({phi.data(), extent}, slices, {}, ctx);
    EXPECT_EQ(report.grid, 1);
    EXPECT_EQ(report.noise.amplitude, 0);
}

TEST_F(SurfaceWithNoise, IsTheSameForAnyNumberOfThreads) {
    const std::vector<float> phi = moved(sphere(center, 20), 0.8, 1).phi;
    std::vector<float> first = phi, second = phi;
    ExecResources one(1), three(3);
    denoiseNonlocally({first.data(), extent}, cube, {}, one.context());
    denoiseNonlocally({second.data(), extent}, cube, {}, three.context());
    EXPECT_EQ(first, second);
}

TEST_F(SurfaceWithNoise, ACleanSurfaceStaysAsItIs) {
    const Distance shapes[] = {sphere(center, 20),
                               sphere(center, 8),
                               turned(test::box(center, {14, 14, 14}), center, 0.5),
                               turned(test::box(center, {7, 7, 7}), center, 0.5),
                               test::box(center, {9.3, 14, 6}),
                               torus(center, 16, 4),
                               torus(center, 16, 2)};
    for (const Distance& shape : shapes) {
        const std::vector<float> clean = sampled(shape, extent);
        std::vector<float> phi = clean;
        EXPECT_EQ(denoise(phi).grid, 0);
        EXPECT_EQ(phi, clean);
    }
}

TEST_F(SurfaceWithNoise, ThicknessIsVolumeOverArea) {
    EXPECT_NEAR(found(sampled(sphere(center, 18), extent)).thickness, 6, 0.1);
    EXPECT_NEAR(found(sampled(torus(center, 16, 5), extent)).thickness, 2.5, 0.1);
}

TEST_F(SurfaceWithNoise, ASphereComesBackWithoutShrinking) {
    const Distance ball = sphere(center, 20);
    for (const auto& [amplitude, most] : {std::pair{1.2, 0.35}, {0.8, 0.20}}) {
        double mean = 0, bias = 0;
        constexpr int seeds = 3;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            MovedBorder border = moved(ball, amplitude, 1, seed);
            EXPECT_GT(offset(border.phi, ball).mean, 0.7 * amplitude);
            denoise(border.phi);
            const Offset after = offset(border.phi, ball);
            mean += after.mean / seeds;
            bias += (after.signedMean - border.meanAtBorder) / seeds;
        }
        EXPECT_LE(mean, most) << amplitude;
        EXPECT_LE(std::abs(bias), 0.03) << amplitude;
    }
}

TEST_F(SurfaceWithNoise, AVesselKeepsItsPlace) {
    const Distance vessel = turned(torus(center, 16, 4), center, 0.5);
    MovedBorder border = moved(vessel, 0.8, 1);
    const Offset before = offset(border.phi, vessel);
    denoise(border.phi);
    const Offset after = offset(border.phi, vessel);
    EXPECT_LT(after.mean, before.mean / 2);
    // Steep noise on a thin vessel widens it; denoising doesn't add to that.
    EXPECT_NEAR(after.signedMean, before.signedMean, 0.1);
}

TEST_F(SurfaceWithNoise, TheGridOfTheUserWins) {
    const MovedBorder border = moved(sphere(center, 20), 0.8, 1);
    std::vector<float> own = border.phi, coarse = border.phi, byNoise = border.phi;
    NonlocalMeansParameters p;
    const double chosen = denoise(byNoise).grid;
    EXPECT_GT(chosen, 1.5);
    p.grid = chosen;
    const DenoiseReport report = denoise(coarse, p);
    EXPECT_EQ(report.grid, chosen);
    EXPECT_EQ(report.noise.amplitude, 0);
    EXPECT_EQ(coarse, byNoise);
    p.grid = 1;
    EXPECT_EQ(denoise(own, p).grid, 1);
    EXPECT_NE(own, byNoise);
}

TEST_F(SurfaceWithNoise, ACoarserGridHasLinearFunctionsAsTheyAre) {
    const Size3 size{31, 20, 12};
    const Vec3 spacing{0.5, 0.5, 2};
    const CoarseGrid grid = CoarseGrid::of(size, spacing, 2.2);
    EXPECT_EQ(grid.size, (Size3{15, 10, 12}));
    EXPECT_EQ(grid.spacing, (Vec3{1.1, 1.1, 2}));
    const TestVolume linear(size, [](double x, double y, double z) { return 2 * x - 3 * y + z; });
    std::vector<float> smooth(grid.size.voxels()), asItIs(smooth.size()), back(size.voxels());
    coarsen({linear.voxels.data(), size}, grid, {smooth.data(), grid.size},
            {asItIs.data(), grid.size}, ctx);
    refine({asItIs.data(), grid.size}, grid, 0, {back.data(), size}, ctx);
    const VolumeView<const float> result(back.data(), size), truth(linear.voxels.data(), size);
    for (int z = 0; z < size.z; ++z)
        for (int y = 5; y < size.y - 5; ++y)
            for (int x = 5; x < size.x - 5; ++x)
                ASSERT_NEAR(result(x, y, z), truth(x, y, z), 1e-4);
    const VolumeView<const float> a(smooth.data(), grid.size), b(asItIs.data(), grid.size);
    for (int z = 0; z < grid.size.z; ++z)
        for (int y = 2; y < grid.size.y - 2; ++y)
            for (int x = 2; x < grid.size.x - 2; ++x)
                ASSERT_NEAR(a(x, y, z), b(x, y, z), 1e-4);
}

} // namespace
} // namespace systole
