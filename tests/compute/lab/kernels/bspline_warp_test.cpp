// Warps straight from control points: values, weights and gradients against double precision.
#include "compute/core/error.h"
#include "compute/ops/sample.h"
#include "tests/compute/lab/kernels/bspline_warp_support.h"

namespace systole::lab {
namespace {

using test::WarpCase;
using test::warpGrid;

class BsplineWarps : public testing::TestWithParam<Backend> {
protected:
    std::vector<float> warped(const BsplineWarp& in, int threads = 2, bool withGradient = true) {
        ExecResources resources(threads);
        ExecContext ctx = resources.context();
        ctx.backend = GetParam();
        std::vector<float> results(5 * in.points.grid.image.voxels(), NAN);
        BsplineWarped out = test::warpedInto(results, in.points.grid.image);
        if (!withGradient)
            out.gradient = {};
        bsplineWarp(in, out, ctx);
        return results;
    }
};

TEST_P(BsplineWarps, EqualDoublePrecisionOnAProductOfLines) {
    for (const bool withStart : {false, true}) {
        WarpCase c(warpGrid);
        test::expectWarp(c, withStart, warped(c.input(withStart)));
    }
}

TEST_P(BsplineWarps, WithoutGradientHaveTheSameValues) {
    WarpCase c(warpGrid);
    const std::vector<float> all = warped(c.input(true)), some = warped(c.input(true), 2, false);
    const std::size_t n = warpGrid.image.voxels();
    EXPECT_TRUE(
        std::equal(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(2 * n), all.begin()));
    EXPECT_TRUE(std::isnan(some.back()));
}

TEST_P(BsplineWarps, PositionsOutsideGiveTheBorderWeightZeroAndNoGradientAcrossIt) {
    WarpCase c(warpGrid);
    c.points = test::TestControlPoints(warpGrid, [](Vec3) { return Vec3{-1000, 0, 0}; });
    c.map = {};
    const std::vector<float> found = warped(c.input(false));
    const std::size_t n = warpGrid.image.voxels();
    test::TestVolume expected(warpGrid.image, [](double, double y, double z) {
        return WarpCase::lineY(y) * WarpCase::lineZ(z);
    });
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_NEAR(found[i], expected.voxels[i], 2e-5);
        ASSERT_EQ(found[n + i], 0.0f);
        ASSERT_EQ(found[2 * n + i], 0.0f);
        ASSERT_NE(found[3 * n + i], 0.0f);
    }
}

TEST_P(BsplineWarps, HaveTheSameBitsForAnyNumberOfThreads) {
    WarpCase c(warpGrid);
    EXPECT_EQ(warped(c.input(true), 1), warped(c.input(true), 3));
}

INSTANTIATE_TEST_SUITE_P(Forms, BsplineWarps, testing::Values(Backend::CpuReference, Backend::Cpu),
                         [](const auto& form) {
                             return std::string(form.param == Backend::Cpu ? "Vectors" : "Plain");
                         });

TEST(IndexMaps, KeepPointsOfSpace) {
    const Geometry fixed({9, 8, 7}, {1.5, 2, 3}, {10, -4, 2}, {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}});
    const Geometry moving({20, 21, 22}, {0.5, 0.7, 1.1}, {-3, 5, 1});
    const IndexMap map = IndexMap::between(fixed, moving);
    for (const Vec3 index : {Vec3{0, 0, 0}, Vec3{3, 2, 1}, Vec3{8, 0, 6}}) {
        const Vec3 expected = moving.physicalToIndex(fixed.indexToPhysical(index));
        for (int r = 0; r < 3; ++r) {
            double found = static_cast<double>(map.offset[r]);
            for (int a = 0; a < 3; ++a)
                found += static_cast<double>(map.matrix[r][a]) * index[a];
            EXPECT_NEAR(found, expected[r], 1e-4);
        }
    }
}

TEST(BsplineWarpRefuses, SizesThatDontFitAndNoImage) {
    ExecResources resources(1);
    WarpCase c(warpGrid);
    std::vector<float> results(5 * warpGrid.image.voxels());
    BsplineWarp in = c.input(false);
    BsplineWarped out = test::warpedInto(results, warpGrid.image);
    out.inside.size.z -= 1;
    EXPECT_THROW(bsplineWarp(in, out, resources.context()), ComputeError);
    in.moving = {};
    EXPECT_THROW(bsplineWarp(in, test::warpedInto(results, warpGrid.image), resources.context()),
                 ComputeError);
}

} // namespace
} // namespace systole::lab
