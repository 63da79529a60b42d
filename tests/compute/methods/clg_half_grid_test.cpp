// CLG whose motion lies on half the grid of each level, against motion on the whole grid.
#include "compute/methods/clg/clg.h"
#include "compute/ops/smooth.h"
#include "compute/ops/smooth_halved.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;
using test::waves;

constexpr double pi = 3.14159265358979;

/// A displacement that varies over half of the frame, in millimeters.
double bent(double at, double length) { return 1.4 * std::sin(2 * pi * at / length); }

struct Outcome {
    double error; ///< root mean square away from the border, voxels
    std::size_t bytes;
};

Outcome estimate(Size3 size, Vec3 spacing, const char* halfGrid, const char* beta = "0") {
    TestVolume fixed(size, [&](double x, double y, double z) {
        return waves(x + bent(y, size.y), y, z * spacing.z);
    });
    TestVolume moving(size,
                      [&](double x, double y, double z) { return waves(x, y, z * spacing.z); });
    ExecResources resources(2);
    ParamSet set(clgParameterTable(), "default");
    set.setText("half-grid", halfGrid);
    set.setText("beta", beta);
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    input.spacing = spacing;
    TestField field(size);
    makeClg(set, Backend::Cpu)->estimate(input, field.view(), resources.context());
    double sum = 0, count = 0;
    for (int z = 3; z < size.z - 3; ++z)
        for (int y = 5; y < size.y - 5; ++y)
            for (int x = 5; x < size.x - 5; ++x, ++count)
                for (int k = 0; k < 3; ++k) {
                    const double is = field.view().componentView(k)(x, y, z);
                    sum += std::pow(is - (k == 0 ? bent(y, size.y) : 0), 2);
                }
    return {std::sqrt(sum / count), resources.pool().usage().peakBytes};
}

TEST(ClgHalfGrid, FindsWhatTheWholeGridFinds) {
    for (const Size3 size : {Size3{48, 48, 48}, Size3{47, 50, 41}}) {
        const Outcome whole = estimate(size, {1, 1, 1}, "off"),
                      half = estimate(size, {1, 1, 1}, "on");
        EXPECT_LT(half.error, 1.1 * whole.error);
        EXPECT_LT(half.error, 0.15);
        EXPECT_LT(half.bytes, whole.bytes);
    }
}

TEST(ClgHalfGrid, HalvesFineAxesAlone) {
    const Outcome whole = estimate({48, 48, 14}, {1, 1, 4}, "off"),
                  half = estimate({48, 48, 14}, {1, 1, 4}, "on");
    EXPECT_LT(half.error, 1.1 * whole.error);
}

TEST(ClgHalfGrid, IsLeftWhereVolumeIsPreserved) {
    const Size3 size{32, 32, 32};
    EXPECT_EQ(estimate(size, {1, 1, 1}, "on", "0.3").error,
              estimate(size, {1, 1, 1}, "off", "0.3").error);
}

/// Data on the half grid have the requested variance: that of cell means and of the remaining
/// Gaussian.
TEST(HalvedGrid, OfADecimationKeepsTheVariance) {
    ExecResources resources(1);
    const ExecContext ctx = resources.context();
    for (const int n : {64, 65}) {
        constexpr double sigma = 4;
        const Size3 size{n, 1, 1};
        double variance = 0;
        for (const int at : {31, 32}) {
            TestVolume voxel(size, [&](double x, double, double) { return x == at ? 1.0 : 0.0; });
            const HalvedGrid grid(size, {2, 1, 1}, {sigma, 0, 0});
            TestVolume cells(grid.size(), [](double, double, double) { return 0.0; });
            cellMeans(voxel.view(), grid, cells.view(), ctx);
            smoothGaussian(cells.view(), cells.view(), grid.sigma, ctx);
            double sum = 0, first = 0, second = 0;
            for (int i = 0; i < grid.size().x; ++i) {
                const auto value = static_cast<double>(cells.voxels[static_cast<std::size_t>(i)]);
                sum += value;
                first += value * 2 * i;
                second += value * 4 * i * i;
            }
            variance += (second / sum - first / sum * first / sum) / 2;
        }
        EXPECT_NEAR(variance, sigma * sigma, 0.04 * sigma * sigma) << n;
    }
}

} // namespace
} // namespace systole
