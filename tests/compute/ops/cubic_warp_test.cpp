// Cubic sampling: exact for quadratics inside and for linear ramps up to the border, the same in
// rows and voxel by voxel on every size, better than linear on a wave.
#include "compute/ops/resample.h"
#include "compute/ops/sample_cubic.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

TestField unevenField(Size3 size, float amount) {
    TestField field(size);
    for (int k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < size.voxels(); ++i)
            field.view().component(k)[i] =
                amount * static_cast<float>(std::sin(0.37 * static_cast<double>(i) + k));
    return field;
}

TEST(CubicAxis, WeightsSumToOneInsideTheGrid) {
    for (const int n : {1, 2, 3, 4, 5, 17})
        for (float position = -2.3f; position < static_cast<float>(n) + 2; position += 0.13f) {
            const CubicAxis axis = cubicAxis(position, n);
            double sum = 0, center = 0;
            for (int k = 0; k < 4; ++k) {
                const double weight = static_cast<double>(axis.weight[k]);
                sum += weight;
                center += weight * (axis.first + k);
                if (axis.first + k >= n) {
                    EXPECT_EQ(weight, 0) << n << " " << position;
                }
            }
            EXPECT_GE(axis.first, 0);
            EXPECT_NEAR(sum, 1, 1e-6);
            // A ramp is reproduced, also between the outermost voxels.
            const double expected =
                std::clamp(static_cast<double>(position), 0.0, static_cast<double>(n - 1));
            EXPECT_NEAR(center, expected, 1e-5) << n << " " << position;
        }
}

TEST(CubicWarp, ReproducesQuadratics) {
    const Size3 size{19, 17, 15};
    const auto value = [](double x, double y, double z) {
        return 3 + x * x - 0.5 * y * y + 2 * z * z + 0.3 * x * y - x * z;
    };
    TestVolume volume(size, value);
    TestField field = unevenField(size, 0.9f);
    TestVolume out(size, [](double, double, double) { return 0.0; });
    ExecResources resources(2);
    warpVolumeCubic(volume.view(), field.view(), out.view(), {}, resources.context());
    const FieldView<float> w = field.view();
    for (int z = 3; z < size.z - 3; ++z)
        for (int y = 3; y < size.y - 3; ++y)
            for (int x = 3; x < size.x - 3; ++x) {
                const std::size_t i = out.view().offset(x, y, z);
                EXPECT_NEAR(out.view().data[i],
                            value(x + static_cast<double>(w.u[i]), y + static_cast<double>(w.v[i]),
                                  z + static_cast<double>(w.w[i])),
                            2e-3);
            }
}

TEST(CubicWarp, RowsAreThatOfTheFormulaOnEverySize) {
    ExecResources resources(2);
    for (const Size3 size : {Size3{33, 9, 7}, Size3{4, 4, 4}, Size3{3, 5, 6}, Size3{5, 3, 2},
                             Size3{40, 1, 1}, Size3{1, 1, 1}, Size3{16, 2, 19}}) {
        TestVolume volume(size, [](double x, double y, double z) {
            return 128 + 100 * std::sin(3.1 * x + 2.3 * y * y + 1.7 * z);
        });
        TestField field = unevenField(size, 3.4f);
        TestVolume out(size, [](double, double, double) { return 0.0; }),
            inside(size, [](double, double, double) { return 0.0; });
        warpVolumeCubic(volume.view(), field.view(), out.view(), inside.view(),
                        resources.context());
        const FieldView<float> w = field.view();
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    const std::size_t i = out.view().offset(x, y, z);
                    const float px = static_cast<float>(x) + w.u[i],
                                py = static_cast<float>(y) + w.v[i],
                                pz = static_cast<float>(z) + w.w[i];
                    ASSERT_NEAR(out.view().data[i], cubicSample(size, px, py, pz, volume.view()),
                                3e-4);
                    ASSERT_NEAR(inside.view().data[i], insideWeight(px, py, pz, size), 1e-6);
                    if (size.x < 4)
                        continue;
                    ASSERT_NEAR(cubicSampleAt(size, px, py, pz,
                                              [&](std::size_t n) { return volume.view().data[n]; }),
                                cubicSample(size, px, py, pz, volume.view()), 3e-4);
                }
    }
}

TEST(CubicWarp, KeepsTheContrastThatLinearInterpolationLoses) {
    const Size3 size{64, 4, 4};
    const auto wave = [](double x) { return std::cos(2 * std::numbers::pi * x / 5); };
    TestVolume volume(size, [&](double x, double, double) { return wave(x); });
    TestField field(size);
    std::fill_n(field.view().u, size.voxels(), 0.5f);
    TestVolume cubic(size, [](double, double, double) { return 0.0; }),
        linear(size, [](double, double, double) { return 0.0; });
    ExecResources resources(1);
    warpVolumeCubic(volume.view(), field.view(), cubic.view(), {}, resources.context());
    warpVolume(volume.view(), field.view(), linear.view(), {}, resources.context());
    double ofCubic = 0, ofLinear = 0;
    for (int x = 2; x < size.x - 3; ++x) {
        ofCubic =
            std::max(ofCubic, std::abs(static_cast<double>(cubic.view()(x, 1, 1)) - wave(x + 0.5)));
        ofLinear = std::max(ofLinear,
                            std::abs(static_cast<double>(linear.view()(x, 1, 1)) - wave(x + 0.5)));
    }
    // Halfway between voxels a wave of length 5 keeps cos(π/5) of its amplitude in linear
    // interpolation, (9 cos(π/5) − cos(3π/5)) / 8 in cubic.
    EXPECT_NEAR(ofLinear, 1 - std::cos(std::numbers::pi / 5), 0.02);
    EXPECT_NEAR(ofCubic,
                1 - (9 * std::cos(std::numbers::pi / 5) - std::cos(3 * std::numbers::pi / 5)) / 8,
                0.02);
}

} // namespace
} // namespace systole
