// The unbiased method's force: against finite differences of an energy that is written down here in
// double, and the plain loops against the fast implementation.
#include "compute/methods/unbiased/steps.h"
#include "tests/support/compute_support.h"
#include "tests/support/processor.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace systole::unbiased {
namespace {

using test::TestField;
using test::TestVolume;

constexpr Size3 size{18, 15, 13};

/// The energy of a displacement in double, summed over voxels.
class Energy {
public:
    Energy(TestVolume& fixed, TestVolume& moving, double lambda, double noise)
        : fixed_(fixed), moving_(moving), lambda_(lambda), noise_(noise) {}

    double of(const std::vector<double>& w) const {
        double sum = 0;
        const Size3 n = fixed_.size;
        for (int z = 0; z < n.z; ++z)
            for (int y = 0; y < n.y; ++y)
                for (int x = 0; x < n.x; ++x) {
                    const double det = determinant(w, {x, y, z});
                    const Sample there =
                        at(x + component(w, 0, {x, y, z}), y + component(w, 1, {x, y, z}),
                           z + component(w, 2, {x, y, z}));
                    const double difference =
                        there.value - static_cast<double>(fixed_.view()(x, y, z));
                    sum += 0.5 * (difference * difference + noise_ * (1 - there.squaredWeights)) +
                           lambda_ * (det - 1) * std::log(det);
                }
        return sum;
    }

private:
    using Index = std::array<int, 3>;

    double component(const std::vector<double>& w, int i, Index p) const {
        return w[static_cast<std::size_t>(i) * fixed_.voxels.size() +
                 fixed_.view().offset(p[0], p[1], p[2])];
    }
    double determinant(const std::vector<double>& w, Index p) const {
        double m[3][3];
        for (std::size_t j = 0; j < 3; ++j) {
            Index a = p, b = p;
            const int n = fixed_.size[static_cast<int>(j)];
            a[j] = std::min(p[j] + 1, n - 1);
            b[j] = std::max(p[j] - 1, 0);
            for (int i = 0; i < 3; ++i)
                m[i][j] =
                    (i == static_cast<int>(j) ? 1 : 0) +
                    (a[j] == b[j] ? 0 : (component(w, i, a) - component(w, i, b)) / (a[j] - b[j]));
        }
        return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    }
    struct Sample {
        double value = 0, squaredWeights = 0;
    };
    Sample at(double x, double y, double z) const {
        const double p[3] = {x, y, z};
        int low[3];
        double part[3];
        for (int j = 0; j < 3; ++j) {
            const double clamped = std::min(std::max(p[j], 0.0), fixed_.size[j] - 1.0);
            low[j] = std::min(static_cast<int>(clamped), fixed_.size[j] - 2);
            part[j] = clamped - low[j];
        }
        Sample sum;
        for (int corner = 0; corner < 8; ++corner) {
            const int c[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
            double weight = 1;
            for (int j = 0; j < 3; ++j)
                weight *= c[j] ? part[j] : 1 - part[j];
            sum.value += weight * static_cast<double>(
                                      moving_.view()(low[0] + c[0], low[1] + c[1], low[2] + c[2]));
            sum.squaredWeights += weight * weight;
        }
        return sum;
    }

    TestVolume &fixed_, &moving_;
    double lambda_, noise_;
};

/// Smooth; with `inwards` 1 no position leaves the grid, with −0.5 those of its border do.
TestField smoothField(double inwards) {
    TestField w(size);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const double c[3] = {-0.07 * (x - 8.5), -0.08 * (y - 7.0), -0.09 * (z - 6.0)};
                const double s[3] = {std::sin(0.3 * x + 0.2 * y - 0.1),
                                     std::sin(0.25 * y - 0.3 * z),
                                     std::sin(0.2 * z + 0.3 * x + 0.4)};
                for (int k = 0; k < 3; ++k)
                    w.view().componentView(k)(x, y, z) =
                        static_cast<float>(inwards * c[k] + 0.25 * s[k]);
            }
    return w;
}

double blob(double x, double y, double z, double at) {
    const double r2 = std::pow((x - at) / 4.5, 2) + std::pow((y - at + 1) / 4, 2) +
                      std::pow((z - at + 2) / 4.2, 2);
    return 200 * std::exp(-0.5 * r2);
}

using Direction = std::function<double(int axis, int x, int y, int z)>;

std::vector<Direction> directions() {
    return {
        [](int axis, int x, int y, int z) {
            return std::cos(0.2 * x + 0.3 * axis) * std::cos(0.25 * y) + 0.1 * z;
        },
        [](int axis, int x, int y, int z) {
            return axis == 0 ? std::exp(-0.1 * (x * x + y * y + z * z)) : 0.0;
        },
        [](int axis, int x, int y, int z) {
            const int dx = size.x - 1 - x, dy = size.y - 1 - y;
            return axis == 1 ? std::exp(-0.1 * (dx * dx + dy * dy + z * z)) : 0.0;
        },
        [](int axis, int x, int y, int z) {
            return std::sin(0.7 * x + 1.1 * y + 0.9 * z + 2 * axis);
        },
    };
}

using ForceFunction = decltype(&force);

class Force : public testing::TestWithParam<ForceFunction> {
protected:
    std::vector<float> of(TestVolume& fixed, TestVolume& moving, TestField& w,
                          const ForceRule& rule) {
        TestField out(w.size);
        GetParam()({fixed.view(), moving.view()}, w.view(), rule, out.view(), resources.context());
        return out.values;
    }
    /// The derivative of the energy along a direction by the force and by central differences.
    void compare(TestVolume& fixed, TestVolume& moving, double lambda, double bound,
                 double inwards = 1, double noise = 0) {
        TestField w = smoothField(inwards);
        const std::vector<float> f =
            of(fixed, moving, w,
               {static_cast<float>(lambda), {1, 1, 1}, false, false, static_cast<float>(noise)});
        const Energy energy(fixed, moving, lambda, noise);
        for (const Direction& direction : directions()) {
            double byForce = 0;
            std::vector<double> ahead(w.values.begin(), w.values.end()), behind = ahead;
            // The noise that is lost has steep kinks between voxels: the step crosses none.
            const double h = noise > 0 ? 1e-6 : 1e-4;
            for (int axis = 0; axis < 3; ++axis)
                for (int z = 0; z < size.z; ++z)
                    for (int y = 0; y < size.y; ++y)
                        for (int x = 0; x < size.x; ++x) {
                            const std::size_t i = static_cast<std::size_t>(axis) * size.voxels() +
                                                  fixed.view().offset(x, y, z);
                            const double d = direction(axis, x, y, z);
                            byForce -= d * static_cast<double>(f[i]);
                            ahead[i] += h * d;
                            behind[i] -= h * d;
                        }
            const double derivative = (energy.of(ahead) - energy.of(behind)) / (2 * h);
            EXPECT_NEAR(byForce, derivative, bound * std::abs(derivative));
        }
    }

    ExecResources resources{2};
    TestVolume empty{size, [](double, double, double) { return 0; }};
};

TEST_P(Force, OfTheRegularizerIsItsNegativeGradientBordersIncluded) {
    compare(empty, empty, 3, 1e-3);
}

TEST_P(Force, OfTheWholeEnergyIsItsNegativeGradientBordersIncluded) {
    TestVolume fixed(size, test::waves);
    TestVolume moving(size, [](double x, double y, double z) {
        return test::waves(x - 0.8, y + 0.5, z - 0.3) + 10;
    });
    for (const double inwards : {1.0, -0.5}) {
        SCOPED_TRACE(inwards);
        compare(fixed, moving, 0, 2e-3, inwards);
        compare(fixed, moving, 300, 2e-3, inwards);
    }
}

TEST_P(Force, OfLostNoiseIsItsNegativeGradient) {
    for (const double inwards : {1.0, -0.5})
        compare(empty, empty, 0, 2e-3, inwards, 200);
}

TEST_P(Force, OfARigidMotionIsZero) {
    TestField shift(size), turn(size);
    std::fill(shift.values.begin(), shift.values.end(), 1.75f);
    const double angle = 0.3;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                turn.view().componentView(0)(x, y, z) =
                    static_cast<float>((std::cos(angle) - 1) * x - std::sin(angle) * y);
                turn.view().componentView(1)(x, y, z) =
                    static_cast<float>(std::sin(angle) * x + (std::cos(angle) - 1) * y);
            }
    for (const float value : of(empty, empty, shift, {1, {1, 1, 1}, true}))
        ASSERT_EQ(value, 0);
    for (const float value : of(empty, empty, turn, {1, {1, 1, 1}, true}))
        ASSERT_NEAR(value, 0, 1e-5);
}

TEST_P(Force, IsPulledBackAndScaledAsTheMotion) {
    TestVolume fixed(size, [](double x, double y, double z) { return blob(x, y, z, 7); });
    TestVolume moving(size, [](double x, double y, double z) { return blob(x, y, z, 8.5); });
    TestField w = smoothField(1);
    const std::vector<float> f = of(fixed, moving, w, {50, {1, 1, 1}, false}),
                             pulled = of(fixed, moving, w, {50, {1, 1, 0.5f}, true});
    const std::size_t n = size.voxels();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = fixed.view().offset(x, y, z);
                const Deformation m = deformationAt(w.view(), x, y, z);
                for (std::size_t k = 0; k < 3; ++k) {
                    const double expected =
                        static_cast<double>(m.m[0][k] * f[i] + m.m[1][k] * f[n + i] +
                                            m.m[2][k] * f[2 * n + i]) *
                        (k == 2 ? 0.25 : 1);
                    ASSERT_NEAR(pulled[k * n + i], expected, 1e-4 * (10 + std::abs(expected)));
                }
            }
}

INSTANTIATE_TEST_SUITE_P(Implementations, Force, testing::Values(&force, &forceReference),
                         [](const auto& info) { return info.index == 0 ? "cpu" : "reference"; });

class Grids : public testing::TestWithParam<Size3> {
protected:
    void SetUp() override {
        if (!test::processorFuses())
            GTEST_SKIP() << "this processor has no fused multiply-adds";
    }
    void compare(double amplitude, bool bothSides) {
        const Size3 grid = GetParam();
        ExecResources resources(2);
        const ExecContext ctx = resources.context();
        TestVolume fixed(grid, test::waves), moving(grid, [](double x, double y, double z) {
            return test::waves(x + 1, y, z - 0.6);
        });
        TestField w(grid), f(grid), fast(grid), plain(grid);
        for (std::size_t i = 0; i < w.values.size(); ++i) {
            w.values[i] =
                static_cast<float>(amplitude * std::sin(0.37 * static_cast<double>(i) + 0.2));
            f.values[i] = static_cast<float>(std::cos(0.21 * static_cast<double>(i)));
        }
        const Frames frames{fixed.view(), moving.view()};
        const ForceRule rule{20, {1, 0.8f, 0.5f}, true, bothSides};
        const Check one = force(frames, w.view(), rule, fast.view(), ctx),
                    other = forceReference(frames, w.view(), rule, plain.view(), ctx);
        EXPECT_EQ(fast.values, plain.values);
        EXPECT_EQ(one.energy, other.energy);
        EXPECT_EQ(one.folded, other.folded);
        EXPECT_EQ(one.folded > 0, amplitude > 1);
        for (const float momentum : {0.0f, 0.6f}) {
            TestField fastVelocity = f, plainVelocity = f;
            EXPECT_EQ(transport(w.view(), f.view(), momentum, fastVelocity.view(), rule.scale,
                                fast.view(), ctx),
                      transportReference(w.view(), f.view(), momentum, plainVelocity.view(),
                                         rule.scale, plain.view(), ctx));
            EXPECT_EQ(fast.values, plain.values);
            EXPECT_EQ(fastVelocity.values, plainVelocity.values);
            EXPECT_NEAR(fastVelocity.values[0], 1 + momentum, 1e-6);
        }
    }
};

TEST_P(Grids, HaveTheSameBitsByPlainLoopsAndByTheFastImplementation) {
    compare(0.15, false);
    compare(2, false); // where it folds
    for (const bool bothSides : {true, false})
        compare(0, bothSides); // positions on the planes of voxels
}

INSTANTIATE_TEST_SUITE_P(Unbiased, Grids,
                         testing::Values(Size3{18, 15, 13}, Size3{33, 7, 2}, Size3{5, 9, 1},
                                         Size3{1, 6, 20}, Size3{2, 2, 2}),
                         [](const auto& info) {
                             return std::to_string(info.param.x) + "x" +
                                    std::to_string(info.param.y) + "x" +
                                    std::to_string(info.param.z);
                         });

} // namespace
} // namespace systole::unbiased
