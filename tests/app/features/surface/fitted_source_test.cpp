// Surfaces that are too large for the live view are made on a coarser grid.
#include "app/features/surface/fitted_source.h"
#include "compute/surface/isosurface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace systole {
namespace {

class FittedSourceTest : public ::testing::Test {
protected:
    /// Noise within, nothing at the edge, so that a surface has no lids.
    std::shared_ptr<const Volume> noise(Size3 size) {
        auto volume = std::make_shared<Volume>(Geometry(size, {1, 2, 3}, {-7, 5, 2}),
                                               *resources.context().pool, "noise");
        std::mt19937 random(3);
        std::uniform_real_distribution<float> value(0, 1);
        const VolumeView<float> view = volume->view();
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    const bool edge = x == 0 || y == 0 || z == 0 || x == size.x - 1 ||
                                      y == size.y - 1 || z == size.z - 1;
                    view(x, y, z) = edge ? 0 : value(random);
                }
        return volume;
    }
    ExecResources resources{2};
};

TEST_F(FittedSourceTest, CrossedLinesAreThePointsOfTheSurface) {
    const auto volume = noise({13, 9, 11});
    const ExecContext ctx = resources.context();
    Volume phi(volume->geometry, *ctx.pool, "below");
    for (std::size_t i = 0; i < phi.voxels.size(); ++i)
        phi.voxels.data()[i] = 0.5f - volume->voxels.data()[i];
    const TriangleMesh mesh =
        isosurface(std::as_const(phi).view(), phi.geometry, SurfaceEdge::Closed, ctx);
    EXPECT_GT(mesh.points.size(), 500u);
    EXPECT_EQ(crossedLines(volume->view(), 0.5f, ctx), mesh.points.size());
}

TEST_F(FittedSourceTest, AFrameThatFitsIsItself) {
    const auto volume = noise({12, 12, 12});
    const FittedSource fitted = fittedSource(volume, 0.5f, resources.context(), 100000);
    EXPECT_EQ(fitted.volume, volume);
    EXPECT_EQ(fitted.note, "");
}

TEST_F(FittedSourceTest, AnotherIsTheMeanOverCellsInTheSamePlace) {
    const auto volume = noise({12, 10, 8});
    const ExecContext ctx = resources.context();
    const FittedSource fitted = fittedSource(volume, 0.5f, ctx, 400);
    ASSERT_NE(fitted.volume, volume);
    EXPECT_NE(fitted.note.find("2×2×2"), std::string::npos) << fitted.note;
    EXPECT_LE(crossedLines(fitted.volume->view(), 0.5f, ctx), 400u);
    const Geometry &fine = volume->geometry, &coarse = fitted.volume->geometry;
    EXPECT_EQ(coarse.size(), (Size3{6, 5, 4}));
    EXPECT_NEAR(length(coarse.center() - fine.center()), 0, 1e-9);
    double mean = 0;
    for (int corner = 0; corner < 8; ++corner)
        mean += volume->view()(4 + (corner & 1), 2 + (corner >> 1 & 1), 6 + (corner >> 2)) / 8.0;
    EXPECT_NEAR(fitted.volume->view()(2, 1, 3), mean, 1e-6);
}

TEST_F(FittedSourceTest, CoarsensUntilItFitsWithAnyNumberOfThreads) {
    const auto volume = noise({40, 36, 1});
    ExecResources one(1);
    const FittedSource fitted = fittedSource(volume, 0.2f, resources.context(), 3);
    const FittedSource again = fittedSource(volume, 0.2f, one.context(), 3);
    EXPECT_LE(crossedLines(fitted.volume->view(), 0.2f, one.context()), 3u);
    EXPECT_EQ(fitted.note, again.note);
    EXPECT_TRUE(std::equal(fitted.volume->voxels.span().begin(), fitted.volume->voxels.span().end(),
                           again.volume->voxels.span().begin()));
}

} // namespace
} // namespace systole
