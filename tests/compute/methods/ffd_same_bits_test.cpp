// Properties that make the free-form deformation's fields the same on the host and on a device, as
// far as a host can show them: SIMD has the bits of the plain formulas that kernels use, sums are
// exact or have a given order, logarithms are within one unit of the last place.
#include "compute/methods/ffd/penalties.h"
#include "compute/methods/ffd/similarity_lncc.h"
#include "compute/methods/ffd/similarity_nmi_math.h"
#include "compute/methods/ffd/similarity_rows.h"
#include "compute/methods/ffd/vector_products.h"
#include "compute/methods/ffd/warp.h"
#include "compute/ops/bspline_rows.h"
#include "tests/support/compute_support.h"
#include "tests/support/normal_noise.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

/// Skips on processors whose SIMD has no fused multiply-add.
class FfdSameBits : public testing::Test {
protected:
    void SetUp() override {
#ifdef __x86_64__
        if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
            GTEST_SKIP() << "no fused multiply-add";
#endif
    }
    ExecResources resources{2};
};

TEST_F(FfdSameBits, WarpAndForcesInSimdAndPlainLoops) {
    const Size3 size{37, 19, 11}, other{33, 21, 12};
    TestVolume image(other, test::waves), derivative(size, test::waves),
        ofLost = test::noiseVolume(size, 9),
        mask(other, [](double x, double, double) { return x < 20 ? 1 : 0.3; });
    IndexMap turned;
    turned.matrix[0][1] = 0.1f;
    turned.matrix[2][2] = 1.07f;
    turned.offset[1] = -0.4f;
    for (const IndexMap& map : {IndexMap(), turned})
        // Positions lie on voxels if there is no motion.
        for (const float amplitude : {0.0f, 2.5f}) {
            TestField field(size);
            field.values = test::normalNoise(field.values.size(), 7, amplitude);
            std::vector<std::vector<float>> found;
            for (const Backend backend : {Backend::Cpu, Backend::CpuReference}) {
                ExecContext ctx = resources.context();
                ctx.backend = backend;
                TestField force(size);
                TestVolume warped(size, test::waves), weight(size, test::waves),
                    lost(size, test::waves);
                const MovingImage moving{image.view(), mask.view(), map, 130};
                warpMoving(moving, field.view(), {}, warped.view(), weight.view(), lost.view(),
                           ctx);
                warpForces(moving, field.view(), {derivative.view(), ofLost.view()}, force.view(),
                           ctx);
                for (const auto* values :
                     {&warped.voxels, &weight.voxels, &lost.voxels, &force.values})
                    found.push_back(*values);
            }
            for (std::size_t i = 0; i < 4; ++i)
                EXPECT_EQ(found[i], found[i + 4]) << i << " " << amplitude;
        }
}

TEST_F(FfdSameBits, WindowsOfTheCorrelationInSimdAndByTheFormula) {
    constexpr int count = 77;
    std::vector<float> mean(count), inverse(count), variance(count), weight(count), sums[3];
    for (int n = 0; n < 3; ++n)
        sums[n] = test::normalNoise(count, 20 + static_cast<std::uint64_t>(n), 50);
    for (std::size_t i = 0; i < count; ++i) {
        inverse[i] = i % 9 == 0 ? 0 : 1 / (1 + static_cast<float>(i % 5));
        mean[i] = 100 + 20 * std::sin(static_cast<float>(i));
        variance[i] = static_cast<float>(i * i % 31);
        weight[i] = i % 7 == 0 ? 0.3f : 1;
        sums[1][i] = 9000 + sums[1][i];
    }
    std::vector<float> factors[3] = {sums[0], sums[1], sums[2]};
    const double found =
        rows::localCorrelation({inverse.data(),
                                mean.data(),
                                variance.data(),
                                {factors[0].data(), factors[1].data(), factors[2].data()},
                                weight.data()},
                               count);
    double expected = 0;
    for (std::size_t i = count; i-- > 0;) { // terms are summed in another order
        const LnccTerms terms(
            {inverse[i], mean[i], variance[i], sums[0][i], sums[1][i], sums[2][i]}, weight[i]);
        expected += static_cast<double>(terms.counted);
        EXPECT_EQ(factors[0][i], terms.ofA) << i;
        EXPECT_EQ(factors[1][i], terms.ofB) << i;
        EXPECT_EQ(factors[2][i], terms.ofOne) << i;
    }
    EXPECT_EQ(found, expected);
    EXPECT_GT(found, 1);
}

TEST_F(FfdSameBits, SquaredDifferencesInAnyOrder) {
    constexpr int count = 1001;
    const std::vector<float> a = test::normalNoise(count, 1, 60),
                             b = test::normalNoise(count, 2, 60);
    std::vector<float> weight = test::normalNoise(count, 3, 1);
    constexpr double unit = squaresUnit(count);
    double expected = 0, exact = 0, weights = 0;
    for (std::size_t i = count; i-- > 0;) {
        weight[i] = std::min(std::abs(weight[i]), 1.0f);
        expected += weighedSquare(a[i] - b[i], weight[i], unit);
        weights += static_cast<double>(onSumGrid(weight[i]));
        const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        exact += static_cast<double>(weight[i]) * difference * difference;
    }
    EXPECT_EQ(rows::weightedSquares(a.data(), b.data(), weight.data(), count, unit), expected);
    EXPECT_NEAR(expected / exact, 1, 1e-6);
    EXPECT_EQ(rows::sum(weight.data(), count), weights);
}

// No order of summation changes the sum: the rows of a frame of 512² · 300 voxels whose differences
// are as large as gray values allow.
TEST_F(FfdSameBits, SquaredDifferencesOfLargeFramesInAnyOrder) {
    constexpr int count = 512, rowsOfAll = 512 * 300;
    constexpr double unit = squaresUnit(std::size_t{count} * rowsOfAll);
    const std::vector<float> zero(count, 0.0f), weight(count, 1.0f);
    std::vector<double> ofRow;
    for (unsigned n = 0; n < 16; ++n) {
        std::vector<float> row = test::normalNoise(count, 7 + n, 20);
        for (float& value : row)
            value = 255 - std::min(std::abs(value), 40.0f);
        ofRow.push_back(rows::weightedSquares(row.data(), zero.data(), weight.data(), count, unit));
    }
    double ascending = 0, perRow[16] = {};
    std::int64_t units = 0;
    for (int row = 0; row < rowsOfAll; ++row) {
        ascending += ofRow[static_cast<std::size_t>(row) % 16];
        perRow[row % 16] += ofRow[static_cast<std::size_t>(row) % 16];
        units += static_cast<std::int64_t>(ofRow[static_cast<std::size_t>(row) % 16] / unit);
    }
    EXPECT_EQ(ascending, std::accumulate(std::begin(perRow), std::end(perRow), 0.0));
    EXPECT_EQ(ascending, static_cast<double>(units) * unit);
    EXPECT_GT(ascending, 0.8 * 255 * 255 * count * rowsOfAll);
}

TEST_F(FfdSameBits, SplinesSumOverYThenXThenZ) {
    for (const Size3 image : {Size3{37, 22, 13}, Size3{9, 44, 3}}) {
        const ControlGrid grid = ControlGrid::centered(image, {5, 4, 2});
        const Size3 n = grid.points();
        TestField points(n), field(image), sums(n);
        points.values = test::normalNoise(points.values.size(), 5, 2);
        bsplineField({points.view(), grid}, field.view(), resources.context());
        const bspline::PlaneTables tables(grid);
        const VolumeView<const float> v = points.view().componentView(1);
        const auto four = [](const float* w, const auto& value) {
            float sum = w[0] * value(0);
            for (int l = 1; l < 4; ++l)
                sum = fused(w[l], value(l), sum);
            return sum;
        };
        for (int z = 0; z < image.z; ++z)
            for (int y = 0; y < image.y; ++y)
                for (int x = 0; x < image.x; ++x) {
                    const int i = tables.x.axis.tileOf(x), j = tables.y.axis.tileOf(y),
                              k = tables.z.axis.tileOf(z);
                    const float expected = four(tables.z.weights(z), [&](int c) {
                        return four(tables.x.weights(x), [&](int a) {
                            return four(tables.y.weights(y),
                                        [&](int b) { return v(i + a, j + b, k + c); });
                        });
                    });
                    ASSERT_EQ(field.view().componentView(1)(x, y, z), expected);
                }
    }
}

TEST_F(FfdSameBits, GradientsOfSplinesSumOverZThenYThenX) {
    const Size3 image{37, 22, 13};
    const ControlGrid grid = ControlGrid::centered(image, {5, 4, 2});
    const Size3 n = grid.points();
    TestField field(image), sums(n);
    field.values = test::normalNoise(field.values.size(), 5, 2);
    bsplineGradient(field.view(), {sums.view(), grid}, resources.context());
    const bspline::PlaneTables tables(grid);
    const VolumeView<const float> v = field.view().componentView(2);
    const auto over = [](const bspline::AxisTable& table, int point, const auto& value) {
        float sum = 0;
        for (int x = table.axis.begin(point - 3); x < table.axis.begin(point + 1); ++x)
            sum = fused(table.weight(x, point), value(x), sum);
        return sum;
    };
    for (int k = 0; k < n.z; ++k)
        for (int j = 0; j < n.y; ++j)
            for (int i = 0; i < n.x; ++i) {
                const float expected = over(tables.x, i, [&](int x) {
                    return over(tables.y, j, [&](int y) {
                        return over(tables.z, k, [&](int z) { return v(x, y, z); });
                    });
                });
                ASSERT_EQ(sums.view().componentView(2)(i, j, k), expected);
            }
}

TEST(FfdVectorProducts, AreThoseOfDoublesAndDependOnNoThread) {
    const Vec3 weights{1, 2.25, 0.3};
    for (const int points : {1, 300, 20'000}) {
        TestField a({points, 1, 1}), b({points, 1, 1});
        a.values = test::normalNoise(a.values.size(), 1, 3);
        b.values = test::normalNoise(b.values.size(), 2, 3);
        double expected = 0, magnitude = 0;
        for (int axis = 0; axis < 3; ++axis)
            for (std::size_t i = 0; i < static_cast<std::size_t>(points); ++i) {
                const double product = weights[axis] *
                                       static_cast<double>(a.view().component(axis)[i]) *
                                       static_cast<double>(b.view().component(axis)[i]);
                expected += product;
                magnitude += std::abs(product);
            }
        EXPECT_NEAR(strands::product(a.view(), b.view(), weights), expected, 1e-14 * magnitude);
    }
    std::vector<double> values{1, 2, 4, 8, 16, 32, 64, 128};
    EXPECT_EQ(strands::byHalves(values), 255);
}

TEST(FfdLogarithms, AreWithinOneUnitOfTheLastPlace) {
    EXPECT_EQ(logOfCount(1), 0);
    for (double count = 2; count < 1e15; count = std::floor(count * 1.07) + 1) {
        const double exact = std::log(count);
        ASSERT_LE(std::abs(logOfCount(count) - exact), std::nextafter(exact, 99.0) - exact)
            << count;
    }
}

} // namespace
} // namespace systole
