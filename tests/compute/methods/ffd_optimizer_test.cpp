// The optimizers of the free-form deformation on functions whose minimum is known.
#include "compute/methods/ffd/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <span>
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
    void products(std::span<const DescentProduct> wanted, std::span<double> values) override {
        EXPECT_LE(wanted.size(), static_cast<std::size_t>(maxDescentProducts));
        for (std::size_t n = 0; n < wanted.size(); ++n)
            values[n] = dot(at(wanted[n].a),
                            wanted[n].metric ? conditioned(at(wanted[n].b)) : at(wanted[n].b));
        ++rounds;
    }
    void combine(int out, std::span<const DescentTerm> terms) override {
        EXPECT_LE(terms.size(), static_cast<std::size_t>(maxDescentTerms));
        Vector sum(at(out).size());
        for (const DescentTerm& term : terms) {
            const Vector v = term.metric ? conditioned(at(term.slot)) : at(term.slot);
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += term.factor * v[i];
        }
        at(out) = sum;
    }
    double longest(int slot) override {
        double most = 0;
        for (const double v : at(slot))
            most = std::max(most, std::abs(v));
        return most;
    }
    void iterated(int, double energy, int) override { energies.push_back(energy); }
    Vector& at(int slot) { return slots[static_cast<std::size_t>(slot)]; }
    Vector conditioned(Vector v) const {
        for (std::size_t i = 0; i < metric.size(); ++i)
            v[i] *= metric[i];
        return v;
    }
    static double dot(const Vector& a, const Vector& b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    }

    std::vector<Vector> slots;
    std::vector<double> energies;
    Vector metric; ///< weight of each unknown; empty: all 1
    int last = -1;
    int rounds = 0; ///< calls of products()
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

/// Remembers the way of a descent.
class Walk : public Bowl {
public:
    Walk() : Bowl(Descent::Lbfgs) {
        for (std::size_t i = 0; i < 20; ++i)
            metric.push_back(i % 3 == 0 ? 0.3 : 1.2);
    }
    void gradient(int slot, int out) override {
        Bowl::gradient(slot, out);
        places.push_back(at(slot));
        gradients.push_back(at(out));
    }
    double longest(int slot) override {
        directions.push_back(at(slot));
        return Bowl::longest(slot);
    }
    static Vector sum(const Vector& a, double factor, const Vector& b) {
        Vector result = a;
        for (std::size_t i = 0; i < a.size(); ++i)
            result[i] += factor * b[i];
        return result;
    }
    /// −H g at step n: the two loops over the last five pairs, as Nocedal writes them.
    Vector twoLoops(std::size_t n) const {
        const std::size_t first = n > 5 ? n - 5 : 0;
        std::vector<Vector> s, y;
        for (std::size_t k = first; k < n; ++k) {
            s.push_back(sum(places[k + 1], -1, places[k]));
            y.push_back(sum(gradients[k + 1], -1, gradients[k]));
        }
        Vector q = gradients[n];
        std::vector<double> alpha(s.size());
        for (std::size_t i = s.size(); i-- > 0;) {
            alpha[i] = dot(s[i], q) / dot(s[i], y[i]);
            q = sum(q, -alpha[i], y[i]);
        }
        Vector r = conditioned(q);
        if (!s.empty())
            for (double& v : r)
                v *= dot(s.back(), y.back()) / dot(y.back(), conditioned(y.back()));
        for (std::size_t i = 0; i < s.size(); ++i)
            r = sum(r, alpha[i] - dot(y[i], r) / dot(s[i], y[i]), s[i]);
        for (double& v : r)
            v = -v;
        return r;
    }
    std::vector<Vector> places, gradients, directions;
};

TEST(Lbfgs, GoesInTheDirectionOfTheTwoLoopRecursionWithOneRoundOfProducts) {
    Walk walk;
    DescentOptions options;
    options.iterations = 14;
    options.tolerance = 0;
    options.smallestStep = 1e-9;
    minimize(walk, options);
    ASSERT_EQ(walk.directions.size(), 14u) << "a search failed and the history was dropped";
    EXPECT_EQ(walk.rounds, 14);
    for (std::size_t n = 0; n < walk.directions.size(); ++n) {
        const OnHost::Vector expected = walk.twoLoops(n);
        const double length = std::sqrt(OnHost::dot(expected, expected));
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(walk.directions[n][i], expected[i], 1e-7 * length) << "step " << n;
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, Optimizer,
                         testing::Values(Descent::ConjugateGradient, Descent::Lbfgs));

} // namespace
} // namespace systole
