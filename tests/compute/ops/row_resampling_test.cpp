// The rows between grids of different resolution, against plain loops.
#include "compute/core/random.h"
#include "compute/ops/resample.h"
#include "compute/ops/row_window.h"
#include "compute/ops/sample.h"
#include "tests/support/compute_support.h"
#include "tests/support/normal_noise.h"
#include "tests/support/processor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace systole {
namespace {

using test::TestField;

class RowsBetweenGrids : public testing::TestWithParam<int> {
protected:
    const int count = GetParam();
    const std::size_t n = static_cast<std::size_t>(count);
    std::vector<float> out = std::vector<float>(2 * n + 1, -7.0f);
};

TEST_P(RowsBetweenGrids, MixIsTheWeightedSum) {
    const std::vector<float> a = test::normalNoise(n, 1), b = test::normalNoise(n, 2),
                             c = test::normalNoise(n, 3);
    const float *const in[] = {a.data(), b.data(), c.data()}, weights[] = {0.5f, -0.25f, 2.0f};
    rows::mix(in, weights, 3, count, out.data());
    for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(out[i], 0.5f * a[i] - 0.25f * b[i] + 2 * c[i], 1e-5);
    EXPECT_EQ(out[n], -7);
}

TEST_P(RowsBetweenGrids, LerpLiesBetween) {
    const std::vector<float> a = test::normalNoise(n, 1), b = test::normalNoise(n, 2);
    rows::lerp(a.data(), b.data(), 0.3f, count, out.data());
    for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(out[i], 0.7f * a[i] + 0.3f * b[i], 1e-6);
    EXPECT_EQ(out[n], -7);
}

/// Rows next to one and values next to one, beyond the border the nearest, in their order.
TEST_P(RowsBetweenGrids, WindowsSumFromTheLowestNeighbor) {
    if (!test::processorFuses())
        GTEST_SKIP() << "this processor has no fused multiply-adds";
    constexpr int taps = 8, before = 3, rows = 5;
    const std::vector<float> weights = test::normalNoise(taps, 1),
                             values = test::normalNoise(rows * n, 2);
    RowWindow alongY(weights, rows);
    ValueWindow alongX(weights, before, count);
    for (int y = 0; y < rows; ++y) {
        const auto row = [&](int at) { return values.data() + n * static_cast<std::size_t>(at); };
        const auto summed = [&](const auto& neighbor) {
            float sum = 0;
            for (int k = 0; k < taps; ++k)
                sum = std::fma(weights[static_cast<std::size_t>(k)], neighbor(k - before), sum);
            return sum;
        };
        alongY.sum(y - before, row, count, out.data());
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(out[i], summed([&](int k) { return row(clampedIndex(y + k, rows))[i]; }));
        alongX.sum(row(y), out.data());
        for (int x = 0; x < count; ++x)
            ASSERT_EQ(out[static_cast<std::size_t>(x)],
                      summed([&](int k) { return row(y)[clampedIndex(x + k, count)]; }));
        EXPECT_EQ(out[n], -7);
    }
}

TEST_P(RowsBetweenGrids, PairMeansAndBackAgain) {
    const std::vector<float> fine = test::normalNoise(2 * n, 4);
    rows::pairMeans(fine.data(), count, out.data());
    for (std::size_t i = 0; i < n; ++i)
        EXPECT_FLOAT_EQ(out[i], 0.5f * (fine[2 * i] + fine[2 * i + 1]));
    EXPECT_EQ(out[n], -7);

    const std::vector<float> cells = test::normalNoise(n + 2, 5);
    rows::betweenCells(cells.data() + 1, count, out.data());
    for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(out[2 * i], 0.25f * cells[i] + 0.75f * cells[i + 1], 1e-6);
        EXPECT_NEAR(out[2 * i + 1], 0.75f * cells[i + 1] + 0.25f * cells[i + 2], 1e-6);
    }
    EXPECT_EQ(out[2 * n], -7);
}

INSTANTIATE_TEST_SUITE_P(Counts, RowsBetweenGrids, testing::Values(1, 3, 8, 16, 17, 33, 64, 71));

/// Each voxel of the result is the trilinear value at its place in the other grid.
TEST(Resample, UpAndDownAreTrilinear) {
    ExecResources resources(2);
    const Size3 sizes[] = {{70, 9, 21}, {5, 6, 7}, {1, 12, 3}};
    for (const Size3 in : sizes)
        for (const bool up : {true, false}) {
            const std::array<int, 3> factor{4, 2, 1};
            const auto along = [&](int voxels, int by) {
                return up ? voxels * by : (voxels + by - 1) / by;
            };
            const Size3 size{along(in.x, 4), along(in.y, 2), in.z};
            TestField field(in), out(size);
            field.values = test::normalNoise(field.values.size(), 6);
            (up ? upsampleField : downsampleField)(field.view(), factor, out.view(),
                                                   resources.context());
            const FieldResampling how = up ? upsampling(factor) : downsampling(factor);
            double largest = 0;
            for (int z = 0; z < size.z; ++z)
                for (int y = 0; y < size.y; ++y)
                    for (int x = 0; x < size.x; ++x) {
                        const int voxel[3] = {x, y, z};
                        float at[3];
                        for (int axis = 0; axis < 3; ++axis) {
                            const float ratio = how.ratio[static_cast<std::size_t>(axis)];
                            at[axis] = static_cast<float>(voxel[axis]) * ratio +
                                       resamplingShift(in[axis], ratio, size[axis]);
                        }
                        const TrilinearSample sample(in, at[0], at[1], at[2]);
                        for (int k = 0; k < 3; ++k) {
                            const double expected =
                                static_cast<double>(how.gain[static_cast<std::size_t>(k)] *
                                                    sample.of(field.view().component(k)));
                            const double value =
                                static_cast<double>(out.view().componentView(k)(x, y, z));
                            largest = std::max(largest, std::abs(value - expected));
                        }
                    }
            EXPECT_LT(largest, 2e-4) << in.x << (up ? " up" : " down");
        }
}

} // namespace
} // namespace systole
