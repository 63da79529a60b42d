// The local correlation against its formula in double precision, window by window.
#include "compute/methods/ffd/similarity_lncc.h"
#include "compute/ops/smooth.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using test::TestVolume;

constexpr double window = 1.5;
constexpr Size3 size{13, 11, 7};

double measured(TestVolume& fixed, TestVolume& warped) {
    Workspace space;
    const auto similarity = makeLncc(window, size, space);
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    space.acquire(*ctx.pool);
    TestVolume weight(size, [](double, double, double) { return 1; });
    similarity->begin({fixed.view(), {}, warped.view(), false, {1, 1, 1}}, ctx);
    return similarity->value({fixed.view(), warped.view(), weight.view()}, ctx);
}

/// −mean of log((1 + κ) / (1 + κ − ρ²)) / log((1 + κ) / κ), and the mean of the logarithms.
struct Expected {
    double energy = 0, logarithms = 0;
};
Expected byTheFormula(TestVolume& fixed, TestVolume& warped) {
    const int r = gaussianRadius(window);
    const double rest = 0.2;
    Expected result;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
                for (int k = std::max(0, z - r); k <= std::min(size.z - 1, z + r); ++k)
                    for (int j = std::max(0, y - r); j <= std::min(size.y - 1, y + r); ++j)
                        for (int i = std::max(0, x - r); i <= std::min(size.x - 1, x + r); ++i) {
                            const double squared =
                                (i - x) * (i - x) + (j - y) * (j - y) + (k - z) * (k - z);
                            const double by = std::exp(-squared / (2 * window * window));
                            const double f = static_cast<double>(fixed.view()(i, j, k)),
                                         w = static_cast<double>(warped.view()(i, j, k));
                            n += by, a += by * f, b += by * w;
                            aa += by * f * f, bb += by * w * w, ab += by * f * w;
                        }
                const double cov = ab / n - a / n * b / n;
                const double squared =
                    cov * cov / ((aa / n - a / n * a / n + 1) * (bb / n - b / n * b / n + 1));
                result.logarithms += std::log((1 + rest - squared) / (1 + rest)) /
                                     static_cast<double>(size.voxels());
            }
    result.energy = result.logarithms / std::log((1 + rest) / rest);
    return result;
}

TEST(LocalCorrelation, IsTheFormulaInDoublePrecision) {
    TestVolume fixed(size, test::waves);
    TestVolume warped(size, [](double x, double y, double z) {
        return 0.8 * test::waves(x + 0.6, y - 0.3, z + 0.2) + 20 + 5 * std::sin(3 * x + y);
    });
    const Expected expected = byTheFormula(fixed, warped);
    const double energy = measured(fixed, warped);
    EXPECT_LT(expected.energy, -0.2);
    EXPECT_NEAR(energy, expected.energy, 1e-4);
    EXPECT_NEAR(unexplainedShare(energy), std::exp(expected.logarithms), 1e-4);
}

TEST(LocalCorrelation, GoesFromNothingToEverythingInCommon) {
    TestVolume fixed(size, test::waves),
        linear(size, [](double x, double y, double z) { return 200 - 3 * test::waves(x, y, z); }),
        flat(size, [](double, double, double) { return 50; });
    EXPECT_NEAR(measured(fixed, linear), -1, 0.02); // ε, and inverted contrast is as good
    EXPECT_NEAR(measured(fixed, flat), 0, 1e-5);
    EXPECT_EQ(unexplainedShare(0), 1);
    EXPECT_NEAR(unexplainedShare(-1), 1 / 6.0, 1e-6);
}

} // namespace
} // namespace systole
