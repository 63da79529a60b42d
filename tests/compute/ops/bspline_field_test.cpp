// The B-spline field and its transposed operator, in every implementation for the CPU.
#include "compute/core/error.h"
#include "compute/ops/bspline_field.h"
#include "tests/compute/ops/bspline_field_support.h"

namespace systole {
namespace {

using test::splineGrids;
using test::splineGridsOfAllMargins;
using test::TestControlPoints;
using test::TestField;

class BsplineField : public testing::TestWithParam<BsplineCpuVariant> {
protected:
    TestField field(const TestControlPoints& points, int threads = 2) {
        ExecResources resources(threads);
        ExecContext ctx = resources.context();
        TestField out(points.grid.image);
        std::fill(out.values.begin(), out.values.end(), NAN);
        bsplineField(GetParam(), points.constView(), out.view(), ctx);
        return out;
    }
};

/// The variants of the literature take tiles that begin at the first voxel.
std::vector<ControlGrid> gridsOf(BsplineCpuVariant variant) {
    if (variant == BsplineCpuVariant::Plain || variant == BsplineCpuVariant::Separable)
        return splineGridsOfAllMargins();
    return {std::begin(splineGrids), std::end(splineGrids)};
}

class BsplineGradient : public testing::TestWithParam<Backend> {
protected:
    TestControlPoints sums(const ControlGrid& grid, TestField& perVoxel, int threads = 2) {
        ExecResources resources(threads);
        ExecContext ctx = resources.context();
        ctx.backend = GetParam();
        TestControlPoints out(grid);
        std::fill(out.values.begin(), out.values.end(), NAN);
        bsplineGradient(perVoxel.view(), out.view(), ctx);
        return out;
    }
};

TestField noiseField(Size3 size, std::uint64_t seed) {
    TestField noise(size);
    for (std::size_t i = 0; i < noise.values.size(); ++i)
        noise.values[i] = static_cast<float>(normalPair(randomBits(seed, 3, i)).first);
    return noise;
}

TEST_P(BsplineField, EqualsTheDefinitionInDoublePrecision) {
    for (const ControlGrid& grid : gridsOf(GetParam())) {
        const TestControlPoints points = test::randomControlPoints(grid, 10, 4);
        EXPECT_LE(test::largestDifference(field(points).values,
                                          test::splineInDouble(grid, points.values, false)),
                  5e-6)
            << test::splineName(grid);
    }
}

TEST_P(BsplineField, WeightsSumToOne) {
    for (const ControlGrid& grid : gridsOf(GetParam())) {
        const TestControlPoints points(grid, [](Vec3) { return Vec3{1, -8, 0.5}; });
        const TestField found = field(points);
        const std::size_t n = grid.image.voxels();
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_NEAR(found.values[i], 1, 5e-7) << test::splineName(grid);
            ASSERT_NEAR(found.values[n + i], -8, 4e-6);
            ASSERT_NEAR(found.values[2 * n + i], 0.5, 3e-7);
        }
    }
}

TEST_P(BsplineField, ReproducesAffineMaps) {
    const auto affine = [](Vec3 p) {
        return Vec3{0.02 * p.x - 0.01 * p.y + 1, 0.03 * p.y + 0.005 * p.z, 2 - 0.04 * p.z};
    };
    for (const ControlGrid& grid : gridsOf(GetParam())) {
        TestField found = field(TestControlPoints(grid, affine));
        for (int z = 0; z < grid.image.z; ++z)
            for (int y = 0; y < grid.image.y; ++y)
                for (int x = 0; x < grid.image.x; ++x) {
                    const Vec3 expected = affine({double(x), double(y), double(z)});
                    for (int c = 0; c < 3; ++c)
                        ASSERT_NEAR(found.view().componentView(c)(x, y, z), expected[c], 2e-6)
                            << test::splineName(grid);
                }
    }
}

TEST_P(BsplineGradient, EqualsTheDefinitionInDoublePrecision) {
    for (const ControlGrid& grid : splineGridsOfAllMargins()) {
        TestField noise = noiseField(grid.image, 5);
        const std::vector<double> expected = test::splineInDouble(grid, noise.values, true);
        double scale = 1;
        for (const double v : expected)
            scale = std::max(scale, std::abs(v));
        EXPECT_LE(test::largestDifference(sums(grid, noise).values, expected), 3e-6 * scale)
            << test::splineName(grid);
    }
}

/// ⟨field of p, g⟩ = ⟨p, gradient of g⟩.
TEST_P(BsplineGradient, IsTheTransposedOperator) {
    for (const ControlGrid& grid : splineGridsOfAllMargins()) {
        const TestControlPoints points = test::randomControlPoints(grid, 1, 6);
        TestField noise = noiseField(grid.image, 7);
        const auto product = [](const std::vector<float>& a, const std::vector<float>& b) {
            double sum = 0, size = 0;
            for (std::size_t i = 0; i < a.size(); ++i) {
                sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
                size += std::abs(static_cast<double>(a[i]) * static_cast<double>(b[i]));
            }
            return std::pair(sum, size);
        };
        ExecResources resources(2);
        TestField field(grid.image);
        bsplineField(points.constView(), field.view(), resources.context());
        const auto [onVoxels, size] = product(field.values, noise.values);
        const auto [onPoints, other] = product(points.values, sums(grid, noise).values);
        EXPECT_NEAR(onVoxels, onPoints, 1e-6 * std::max(size, other)) << test::splineName(grid);
    }
}

TEST_P(BsplineField, HasTheSameBitsForAnyNumberOfThreads) {
    const ControlGrid& grid = splineGrids[2];
    const TestControlPoints points = test::randomControlPoints(grid, 10, 8);
    EXPECT_EQ(field(points, 1).values, field(points, 3).values);
}

TEST_P(BsplineGradient, HasTheSameBitsForAnyNumberOfThreads) {
    const ControlGrid& grid = splineGrids[2];
    TestField noise = noiseField(grid.image, 9);
    EXPECT_EQ(sums(grid, noise, 1).values, sums(grid, noise, 3).values);
}

INSTANTIATE_TEST_SUITE_P(Variants, BsplineField, testing::ValuesIn(bsplineCpuVariants),
                         [](const auto& form) {
                             std::string text = name(form.param);
                             std::erase(text, '-');
                             return text;
                         });
INSTANTIATE_TEST_SUITE_P(Forms, BsplineGradient,
                         testing::Values(Backend::CpuReference, Backend::Cpu),
                         [](const auto& form) {
                             return std::string(form.param == Backend::Cpu ? "Vectors" : "Plain");
                         });

TEST(BsplineFieldRefuses, SizesThatDontFit) {
    ExecResources resources(1);
    const ExecContext ctx = resources.context();
    const ControlGrid grid{{9, 8, 7}, {5, 5, 5}};
    TestControlPoints points(grid);
    TestField right(grid.image), wrong({9, 8, 6});
    EXPECT_THROW(bsplineField(points.constView(), wrong.view(), ctx), ComputeError);
    EXPECT_THROW(bsplineGradient(wrong.view(), points.view(), ctx), ComputeError);
    ControlPointsView<float> few = points.view();
    few.values.size.x -= 1;
    EXPECT_THROW(bsplineField({few.values, grid}, right.view(), ctx), ComputeError);
    EXPECT_THROW(bsplineField({points.view().values, {grid.image, {0, 5, 5}}}, right.view(), ctx),
                 ComputeError);
    TestControlPoints far({grid.image, grid.tile, {0, 11, 0}});
    EXPECT_THROW(bsplineField(far.constView(), right.view(), ctx), ComputeError);
    TestControlPoints centered(ControlGrid::centered(grid.image, grid.tile));
    EXPECT_THROW(bsplineField(BsplineCpuVariant::Rows, centered.constView(), right.view(), ctx),
                 ComputeError);
}

} // namespace
} // namespace systole
