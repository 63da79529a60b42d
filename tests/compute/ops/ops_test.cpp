// Smoothing, sampling, composition and statistics against float64 and mathematics.
#include "compute/ops/jacobian.h"
#include "compute/ops/reduce.h"
#include "compute/ops/resample.h"
#include "compute/ops/smooth.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

/// Odd, short and one-voxel extents reach every tail of the row kernels.
class OverSizes : public testing::TestWithParam<Size3> {};
INSTANTIATE_TEST_SUITE_P(Sizes, OverSizes,
                         testing::Values(Size3{33, 18, 7}, Size3{16, 16, 16}, Size3{5, 4, 3},
                                         Size3{1, 9, 20}, Size3{67, 1, 5}, Size3{40, 31, 1}));

TEST_P(OverSizes, SmoothingEqualsTheDirectSumInDouble) {
    const Size3 size = GetParam();
    TestVolume in = test::noiseVolume(size, 3);
    TestVolume out(size, [](double, double, double) { return 0.0; });
    ExecResources resources(2);
    const Vec3 sigma{1.3, 0.6, 2};
    smoothGaussian(in.view(), out.view(), sigma, resources.context());

    std::vector<double> expected(in.voxels.begin(), in.voxels.end());
    for (int axis = 0; axis < 3; ++axis) {
        const int radius = gaussianRadius(sigma[axis]);
        EXPECT_EQ(radius, static_cast<int>(std::ceil(3 * sigma[axis])));
        double total = 0;
        for (int k = -radius; k <= radius; ++k)
            total += std::exp(-0.5 * k * k / (sigma[axis] * sigma[axis]));
        const std::vector<double> before = expected;
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    double sum = 0;
                    for (int k = -radius; k <= radius; ++k) {
                        int p[3] = {x, y, z};
                        p[axis] = std::clamp(p[axis] + k, 0, size[axis] - 1);
                        sum += std::exp(-0.5 * k * k / (sigma[axis] * sigma[axis])) *
                               before[in.view().offset(p[0], p[1], p[2])];
                    }
                    expected[in.view().offset(x, y, z)] = sum / total;
                }
    }
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(out.voxels[i], expected[i], 2e-6) << "voxel " << i;
}

TEST_P(OverSizes, WarpIsExactOnLinearImages) {
    const Size3 size = GetParam();
    const auto ramp = [](double x, double y, double z) { return 3 * x - 2 * y + 0.5 * z + 1; };
    TestVolume moving(size, ramp);
    TestVolume out(size, [](double, double, double) { return 0.0; });
    TestVolume inside = out;
    TestField field(size);
    for (std::size_t i = 0; i < size.voxels(); ++i) {
        field.view().u[i] = static_cast<float>(std::sin(0.3 * static_cast<double>(i)) * 3);
        field.view().v[i] = static_cast<float>(std::cos(0.2 * static_cast<double>(i)) * 2);
        field.view().w[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i)) * 2);
    }
    ExecResources resources(2);
    warpVolume(moving.view(), field.view(), out.view(), inside.view(), resources.context());
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = out.view().offset(x, y, z);
                const double p[3] = {x + static_cast<double>(field.view().u[i]),
                                     y + static_cast<double>(field.view().v[i]),
                                     z + static_cast<double>(field.view().w[i])};
                double clamped[3];
                double farthest = -1;
                for (int axis = 0; axis < 3; ++axis) {
                    clamped[axis] = std::clamp(p[axis], 0.0, size[axis] - 1.0);
                    if (size[axis] > 1)
                        farthest = std::max({farthest, -p[axis], p[axis] - (size[axis] - 1)});
                }
                ASSERT_NEAR(out.voxels[i], ramp(clamped[0], clamped[1], clamped[2]), 3e-4);
                // Fades from a quarter of a voxel inside to a quarter outside.
                ASSERT_NEAR(inside.voxels[i], std::clamp(0.5 - 2 * farthest, 0.0, 1.0), 1e-4);
            }
}

TEST(Resample, CompositionOfAffineFieldsIsTheirProduct) {
    const Size3 size{24, 20, 18};
    ExecResources resources(2);
    TestField first(size), second(size), composed(size);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = first.view().componentView(0).offset(x, y, z);
                first.view().u[i] = 0.05f * static_cast<float>(y - 10);
                first.view().v[i] = 0.5f;
                second.view().u[i] = -0.75f;
                second.view().w[i] = 0.1f * static_cast<float>(x - 12);
            }
    composeFields(first.view(), second.view(), composed.view(), resources.context());
    for (int z = 3; z < size.z - 3; ++z)
        for (int y = 3; y < size.y - 3; ++y)
            for (int x = 3; x < size.x - 3; ++x) {
                const std::size_t i = first.view().componentView(0).offset(x, y, z);
                ASSERT_NEAR(composed.view().u[i], -0.75 + 0.05 * (y - 10), 1e-5);
                ASSERT_NEAR(composed.view().v[i], 0.5, 1e-5);
                ASSERT_NEAR(composed.view().w[i], 0.1 * (x - 12), 1e-5);
            }
}

TEST(Resample, FieldsKeepTheirMeaningAcrossThePyramid) {
    // A field that is linear in space survives the way down and up.
    const Size3 fine{33, 29, 31}, coarse{17, 29, 16};
    const std::array<int, 3> factor{2, 1, 2};
    ExecResources resources(2);
    TestField full(fine), down(coarse), up(fine);
    for (int z = 0; z < fine.z; ++z)
        for (int y = 0; y < fine.y; ++y)
            for (int x = 0; x < fine.x; ++x) {
                const std::size_t i = full.view().componentView(0).offset(x, y, z);
                full.view().u[i] = static_cast<float>(x);
                full.view().v[i] = static_cast<float>(y);
                full.view().w[i] = static_cast<float>(z);
            }
    downsampleField(full.view(), factor, down.view(), resources.context());
    EXPECT_FLOAT_EQ(down.view().componentView(0)(5, 3, 4), 5); // 10 fine voxels are 5 coarse ones
    EXPECT_FLOAT_EQ(down.view().componentView(1)(5, 3, 4), 3);
    upsampleField(down.view(), factor, up.view(), resources.context());
    EXPECT_LT(test::largestDifference(full.values, up.values), 1e-4);
}

TEST(Resample, ADecimatedVolumeStoredBackwardsIsTheSameBackwards) {
    ExecResources resources(2);
    for (const int n : {24, 25, 26, 27}) {
        const Size3 size{n, 18, n - 1}, coarse{(n + 1) / 2, 9, n / 2};
        const auto value = [](double x, double y, double z) {
            return std::sin(0.7 * x) + 0.1 * y * y + std::cos(0.4 * z) * x;
        };
        TestVolume forwards(size, value), backwards(size, [&](double x, double y, double z) {
            return value(size.x - 1 - x, size.y - 1 - y, size.z - 1 - z);
        });
        TestVolume there(coarse, [](double, double, double) { return 0; }), back = there;
        decimate(forwards.view(), {2, 2, 2}, there.view(), resources.context());
        decimate(backwards.view(), {2, 2, 2}, back.view(), resources.context());
        std::ranges::reverse(back.voxels);
        EXPECT_LT(test::largestDifference(there.voxels, back.voxels), 2e-5) << n;
    }
}

TEST(Resample, ADecimatedRampHasTheValuesOfItsPlaces) {
    // The middle of the grid remains, and the voxels are twice as far from each other.
    ExecResources resources(2);
    for (const int n : {32, 33}) {
        const int m = (n + 1) / 2;
        TestVolume ramp({n, n, n}, [](double x, double y, double z) { return x + 2 * y - z; });
        TestVolume coarse({m, m, m}, [](double, double, double) { return 0; });
        decimate(ramp.view(), {2, 2, 2}, coarse.view(), resources.context());
        const auto place = [&](int i) { return 0.5 * (n - 1) + 2 * (i - 0.5 * (m - 1)); };
        for (const int i : {3, 8, m - 4})
            EXPECT_NEAR(coarse.view()(i, 6, 9), place(i) + 2 * place(6) - place(9), 1e-4);
    }
}

TEST(Reduce, QuantilesOfARamp) {
    TestVolume ramp({10, 10, 11},
                    [](double x, double y, double z) { return x + 10 * y + 100 * z; });
    const std::vector<float> q = quantiles(ramp.view(), {0, 0.01, 0.5, 0.99, 1});
    EXPECT_FLOAT_EQ(q[0], 0);
    EXPECT_NEAR(q[1], 11, 1.01);
    EXPECT_NEAR(q[2], 549.5, 1.01);
    EXPECT_NEAR(q[3], 1088, 1.01);
    EXPECT_FLOAT_EQ(q[4], 1099);
}

TEST(Reduce, JacobianOfAnAffineFieldIsItsDeterminant) {
    TestField field({5, 5, 5});
    for (int z = 0; z < 5; ++z)
        for (int y = 0; y < 5; ++y)
            for (int x = 0; x < 5; ++x) {
                const std::size_t i = field.view().componentView(0).offset(x, y, z);
                field.view().u[i] = 0.1f * static_cast<float>(x) + 0.2f * static_cast<float>(y);
                field.view().v[i] = -0.3f * static_cast<float>(x);
                field.view().w[i] = -0.25f * static_cast<float>(z);
            }
    EXPECT_NEAR(jacobianDeterminant(field.view(), 2, 2, 2), (1.1 * 1 + 0.2 * 0.3) * 0.75, 1e-6);
}

} // namespace
} // namespace systole
