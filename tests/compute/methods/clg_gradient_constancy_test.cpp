// Gradient constancy: products against their definition in double, and what gradients don't see.
#include "compute/methods/clg/clg.h"
#include "compute/methods/clg/gradient_constancy.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;
using Three = std::array<double, 3>;

/// The channels of a volume and their derivatives by definition, in double.
class Definition {
public:
    Definition(VolumeView<const float> volume, std::array<float, 3> scale)
        : volume_(volume), scale_(scale) {}

    Three channels(std::array<int, 3> at) const {
        Three c{};
        for (int axis = 0; axis < 3; ++axis)
            c[n(axis)] = scale(axis) * (value(moved(at, axis, 1)) - value(moved(at, axis, -1)));
        return c;
    }
    /// Derivative of each channel along an axis.
    Three derivatives(std::array<int, 3> at, int axis) const {
        if (at[n(axis)] == 0 || at[n(axis)] + 1 == volume_.size[axis])
            return {};
        const Three ahead = channels(moved(at, axis, 1)), behind = channels(moved(at, axis, -1));
        Three d{};
        for (std::size_t c = 0; c < 3; ++c)
            d[c] = scale(axis) * (ahead[c] - behind[c]) / 4; // derivative of the mean of two frames
        return d;
    }

private:
    static std::size_t n(int axis) { return static_cast<std::size_t>(axis); }
    double scale(int axis) const { return static_cast<double>(scale_[n(axis)]); }
    std::array<int, 3> moved(std::array<int, 3> at, int axis, int step) const {
        at[n(axis)] = std::clamp(at[n(axis)] + step, 0, volume_.size[axis] - 1);
        return at;
    }
    double value(std::array<int, 3> at) const {
        return static_cast<double>(volume_(at[0], at[1], at[2]));
    }
    VolumeView<const float> volume_;
    std::array<float, 3> scale_;
};

double product(const Three& a, const Three& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

template <typename Body>
void overVoxelsOf(Size3 size, const Body& body) {
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                body(std::array<int, 3>{x, y, z});
}

/// J11 J12 J13 J22 J23 J33 J14 J24 J34 of a voxel, without the weight, and their norm.
struct Products {
    Products(const Definition& sum, const Definition& difference, std::array<int, 3> at) {
        const Three d[4] = {sum.derivatives(at, 0), sum.derivatives(at, 1), sum.derivatives(at, 2),
                            difference.channels(at)};
        constexpr int pairs[9][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2},
                                     {2, 2}, {0, 3}, {1, 3}, {2, 3}};
        for (std::size_t k = 0; k < 9; ++k)
            of[k] = product(d[pairs[k][0]], d[pairs[k][1]]);
        squaredGradient = of[0] + of[3] + of[5];
    }
    double of[9];
    double squaredGradient;
};

TEST(ClgGradientConstancy, ProductsAreTheDefinitions) {
    ExecResources resources{2};
    for (const std::array<float, 3> scale :
         {std::array<float, 3>{1, 1, 1}, std::array<float, 3>{1, 1, 0.2f}}) {
        const Size3 size{11, 1, 19}, cube{9, 8, 10};
        for (const Size3 extent : {size, cube}) {
            TestVolume sum = test::noiseVolume(extent, 6),
                       difference = test::noiseVolume(extent, 7),
                       inside(extent, [](double x, double, double) { return x < 2 ? 0.0 : 0.75; }),
                       even(extent, [](double, double, double) { return 7.0; });
            std::vector<TestVolume> before;
            for (std::uint64_t k = 0; k < 9; ++k)
                before.push_back(test::noiseVolume(extent, 20 + k));
            std::vector<TestVolume> found = before;
            std::array<VolumeView<float>, 9> products;
            for (std::size_t k = 0; k < 9; ++k)
                products[k] = found[k].view();
            // Frames whose norm is the epsilon everywhere: no factor follows from it.
            addGradientConstancy({even.view(), even.view(), sum.view(), difference.view(),
                                  inside.view(), scale, 0.4f, 2},
                                 products, resources.context());

            const Definition ofSum(sum.view(), scale), ofDifference(difference.view(), scale);
            const auto weight = [&](std::array<int, 3> at) {
                return static_cast<double>(inside.view()(at[0], at[1], at[2]));
            };
            double residual = 0, voxels = 0;
            overVoxelsOf(extent, [&](std::array<int, 3> at) {
                const Three t = ofDifference.channels(at);
                residual += weight(at) * product(t, t);
                voxels += weight(at);
            });
            const double epsilon = 3 + residual / voxels;
            overVoxelsOf(extent, [&](std::array<int, 3> at) {
                const Products want(ofSum, ofDifference, at);
                for (std::size_t k = 0; k < 9; ++k)
                    ASSERT_NEAR(static_cast<double>(found[k].view()(at[0], at[1], at[2])),
                                0.6 * static_cast<double>(before[k].view()(at[0], at[1], at[2])) +
                                    0.4 * weight(at) * want.of[k] /
                                        (epsilon + want.squaredGradient),
                                1e-5)
                        << k << " at " << at[0] << " " << at[1] << " " << at[2];
            });
        }
    }
}

TEST(ClgGradientConstancy, RootWeightsKeepTheHarmonicMean) {
    ExecResources resources{2};
    const Size3 size{9, 8, 10};
    const float epsilon = 0.3f;
    TestVolume frame = test::noiseVolume(size, 3),
               ones(size, [](double, double, double) { return 1.0; }),
               none(size, [](double, double, double) { return 0.0; });
    std::vector<TestVolume> found(9, ones);
    std::array<VolumeView<float>, 9> products;
    for (std::size_t k = 0; k < 9; ++k)
        products[k] = found[k].view();
    addGradientConstancy(
        {frame.view(), frame.view(), none.view(), none.view(), ones.view(), {1, 1, 1}, 0, epsilon},
        products, resources.context());
    const auto norm = [&](std::array<int, 3> at) {
        double sum = static_cast<double>(epsilon);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::array<int, 3> ahead = at, behind = at;
            if (at[axis] == 0 || at[axis] + 1 == size[static_cast<int>(axis)])
                continue;
            ++ahead[axis];
            --behind[axis];
            const auto value = [&](std::array<int, 3> p) {
                return static_cast<double>(frame.view()(p[0], p[1], p[2]));
            };
            sum += std::pow((value(ahead) - value(behind)) / 2, 2);
        }
        return sum;
    };
    double reciprocal = 0;
    overVoxelsOf(size, [&](std::array<int, 3> at) { reciprocal += 1 / norm(at); });
    const double typical = static_cast<double>(size.voxels()) / reciprocal;
    for (const TestVolume& product : found)
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    ASSERT_NEAR(static_cast<double>(product.voxels[frame.view().offset(x, y, z)]),
                                std::sqrt(norm({x, y, z}) / typical), 1e-5);
}

/// A still picture, and itself with an offset that varies slowly.
struct OffsetPair {
    Size3 size{40, 36, 32};
    TestVolume fixed{size, test::waves};
    TestVolume moving{size, [](double x, double y, double z) {
                          return test::waves(x, y, z) + 15 * std::sin(0.1 * x) * std::cos(0.12 * y);
                      }};

    /// `adaptive`, which matches brightness, is off.
    std::vector<float> motion(double gradients, bool rootWeights, Backend backend, int threads) {
        ExecResources resources{threads};
        ParamSet values(clgParameterTable(), "default");
        values.set("adaptive", false);
        values.set("gradient-constancy", gradients);
        values.set("root-weights", rootWeights);
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        TestField field(size);
        ExecContext ctx = resources.context();
        ctx.backend = backend;
        makeClg(values, backend)->estimate(input, field.view(), ctx);
        return field.values;
    }
    double length(double gradients) {
        double sum = 0;
        for (const float value : motion(gradients, false, Backend::Cpu, 2))
            sum += std::abs(static_cast<double>(value));
        return sum;
    }
};

TEST(ClgGradientConstancy, AnOffsetThatVariesSlowlyMovesLess) {
    OffsetPair pair;
    EXPECT_LT(pair.length(1), 0.5 * pair.length(0));
}

TEST(ClgGradientConstancy, GivesTheSameBitsForAnyNumberOfThreadsAndThatOfPlainLoops) {
    OffsetPair pair;
    const std::vector<float> found = pair.motion(0.3, true, Backend::Cpu, 1);
    EXPECT_EQ(found, pair.motion(0.3, true, Backend::Cpu, 4));
    EXPECT_NE(found, pair.motion(0.3, false, Backend::Cpu, 1));
    const std::vector<float> plain = pair.motion(0.3, true, Backend::CpuReference, 2);
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], plain[i], 1e-3f) << i;
}

TEST(ClgGradientConstancy, NoiseRaisesTheShareToHalf) {
    EXPECT_EQ(clg::gradientShare(0, 1.5f), 0);
    EXPECT_EQ(clg::gradientShare(0.25, 0), 0.25f);
    const auto white = static_cast<float>(clg::narrowPrefilter);
    EXPECT_FLOAT_EQ(clg::gradientShare(0.25, 0.5f * white), 0.375f);
    EXPECT_FLOAT_EQ(clg::gradientShare(0.25, white), 0.5f);
    EXPECT_EQ(clg::gradientShare(0.25, 1.5f), 0.5f);
    EXPECT_EQ(clg::gradientShare(0.75, 1.5f), 0.75f);
}

} // namespace
} // namespace systole
