// The optimizers of the free-form deformation on functions whose minimum is known.
#include "compute/methods/ffd/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace systole {
namespace {

/// Unknowns of `size` on the host; the energy and gradient are those of a function.
class OnHost : public DescentProblem {
public:
    using Vector = std::vector<double>;
    OnHost(Descent method, Vector start)
        : slots(static_cast<std::size_t>(descentSlots(method)), Vector(start.size())) {
        slots[0] = std::move(start);
    }
    virtual double energy(const Vector& x) const = 0;
    virtual Vector slope(const Vector& x) const = 0;

    double value(int slot) override {
        last = slot;
        return energy(at(slot));
    }
    void gradient(int slot, int out) override {
        EXPECT_EQ(slot, last) << "the gradient is asked for where the energy was last";
        at(out) = slope(at(slot));
    }
    double dot(int a, int b) override {
        double sum = 0;
        for (std::size_t i = 0; i < at(a).size(); ++i)
            sum += at(a)[i] * at(b)[i];
        return sum;
    }
    void combine(int out, double a, int x, double b, int y) override {
        for (std::size_t i = 0; i < at(out).size(); ++i)
            at(out)[i] = a * at(x)[i] + b * at(y)[i];
    }
    void precondition(int in, int out) override {
        at(out) = at(in);
        for (std::size_t i = 0; i < metric.size(); ++i)
            at(out)[i] *= metric[i];
    }
    double longest(int slot) override {
        double most = 0;
        for (const double v : at(slot))
            most = std::max(most, std::abs(v));
        return most;
    }
    void iterated(int, double energy, int) override { energies.push_back(energy); }
    Vector& at(int slot) { return slots[static_cast<std::size_t>(slot)]; }

    std::vector<Vector> slots;
    std::vector<double> energies;
    Vector metric; ///< of each unknown; empty: all 1
    int last = -1;
};

/// Σ (i + 1)² (x_i − i)²: curvatures from 1 to 400.
class Bowl : public OnHost {
public:
    explicit Bowl(Descent method) : OnHost(method, Vector(20, 3.0)) {}
    double energy(const Vector& x) const override {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            sum += std::pow(static_cast<double>(i + 1) * (x[i] - static_cast<double>(i)), 2);
        return sum;
    }
    Vector slope(const Vector& x) const override {
        Vector g(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            g[i] = 2 * std::pow(static_cast<double>(i + 1), 2) * (x[i] - static_cast<double>(i));
        return g;
    }
};

/// x − log x: no energy for x ≤ 0, the minimum at 1.
class Barrier : public OnHost {
public:
    explicit Barrier(Descent method) : OnHost(method, Vector{0.05}) {}
    double energy(const Vector& x) const override {
        return x[0] > 0 ? x[0] - std::log(x[0]) : std::numeric_limits<double>::infinity();
    }
    Vector slope(const Vector& x) const override { return {1 - 1 / x[0]}; }
};

class Optimizer : public testing::TestWithParam<Descent> {
protected:
    static DescentOptions options() {
        DescentOptions o;
        o.method = GetParam();
        o.iterations = 300;
        o.smallestStep = 1e-7;
        o.tolerance = 1e-12;
        return o;
    }
};

TEST_P(Optimizer, FindsTheMinimumOfABowlAndNeverRises) {
    Bowl bowl(GetParam());
    const DescentResult result = minimize(bowl, options());
    for (std::size_t i = 0; i < 20; ++i)
        EXPECT_NEAR(bowl.at(result.slot)[i], static_cast<double>(i), 5e-3);
    EXPECT_EQ(result.energy, bowl.energy(bowl.at(result.slot)));
    EXPECT_EQ(static_cast<std::size_t>(result.iterations), bowl.energies.size());
    for (std::size_t n = 1; n < bowl.energies.size(); ++n)
        EXPECT_LE(bowl.energies[n], bowl.energies[n - 1]);
    EXPECT_LT(result.iterations, 150);
}

TEST_P(Optimizer, IsDoneAtOnceWithTheInverseCurvatureAsMetric) {
    Bowl plain(GetParam()), scaled(GetParam());
    for (std::size_t i = 0; i < 20; ++i)
        scaled.metric.push_back(1 / std::pow(static_cast<double>(i + 1), 2));
    const int without = minimize(plain, options()).iterations;
    const DescentResult result = minimize(scaled, options());
    for (std::size_t i = 0; i < 20; ++i)
        EXPECT_NEAR(scaled.at(result.slot)[i], static_cast<double>(i), 1e-6);
    EXPECT_LE(result.iterations, 10); // steps are limited in length, so that it isn't one
    EXPECT_GT(without, 2 * result.iterations);
}

TEST_P(Optimizer, GoesTheSameWayInOtherUnitsWithTheirMetric) {
    // Unknowns in units of c: gradients are c times as large, and the metric 1 / c².
    class Other : public Bowl {
    public:
        using Bowl::Bowl;
        static double unit(std::size_t i) { return i % 2 == 0 ? 1 : 6; }
        static Vector inUnits(const Vector& x) {
            Vector y = x;
            for (std::size_t i = 0; i < y.size(); ++i)
                y[i] *= unit(i);
            return y;
        }
        double energy(const Vector& x) const override { return Bowl::energy(inUnits(x)); }
        Vector slope(const Vector& x) const override { return inUnits(Bowl::slope(inUnits(x))); }
        double longest(int slot) override {
            double most = 0;
            for (const double v : inUnits(at(slot)))
                most = std::max(most, std::abs(v));
            return most;
        }
    } other(GetParam());
    Bowl bowl(GetParam());
    for (std::size_t i = 0; i < 20; ++i) {
        other.at(0)[i] /= Other::unit(i);
        other.metric.push_back(1 / (Other::unit(i) * Other::unit(i)));
    }
    DescentOptions few = options();
    few.iterations = 5;
    const int first = minimize(bowl, few).slot, second = minimize(other, few).slot;
    const OnHost::Vector found = Other::inUnits(other.at(second));
    for (std::size_t i = 0; i < 20; ++i)
        EXPECT_NEAR(bowl.at(first)[i], found[i], 1e-8);
}

TEST_P(Optimizer, StaysWhereThereIsAnEnergy) {
    Barrier barrier(GetParam());
    const DescentResult result = minimize(barrier, options());
    EXPECT_NEAR(barrier.at(result.slot)[0], 1, 1e-4);
}

TEST_P(Optimizer, StopsAtOnceWithoutASlope) {
    class Flat : public Bowl {
    public:
        using Bowl::Bowl;
        double energy(const Vector&) const override { return 7; }
        Vector slope(const Vector& x) const override { return Vector(x.size(), 0.0); }
    } flat(GetParam());
    const DescentResult result = minimize(flat, options());
    EXPECT_EQ(result.iterations, 1);
    EXPECT_EQ(result.energy, 7);
    EXPECT_EQ(flat.at(result.slot), std::vector<double>(20, 3.0));
}

INSTANTIATE_TEST_SUITE_P(Methods, Optimizer,
                         testing::Values(Descent::ConjugateGradient, Descent::Lbfgs));

} // namespace
} // namespace systole
