#include "compute/methods/ffd/optimizer.h"

#include "compute/methods/ffd/lbfgs_history.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace systole {
namespace {

/// Slots of both methods; L-BFGS has its history behind them.
struct Slots {
    int current = 0, trial = 1, gradient = 2, lastGradient = 3, direction = 4;
};
constexpr int commonSlots = 5;
static_assert(maxDescentTerms >= 2 * LbfgsHistory::maxSteps + 1);
static_assert(maxDescentProducts >=
              5 * LbfgsHistory::maxSteps); // products of a new step and the others

/// A line search's point: how far along the direction, and the energy there.
struct Step {
    double length = 0;
    double energy = 0;
};

class Minimizer {
public:
    Minimizer(DescentProblem& problem, const DescentOptions& options) : p_(problem), o_(options) {}

    DescentResult run() {
        DescentResult result;
        energy_ = evaluate(s_.current);
        const double first = energy_;
        int quiet = 0;
        while (result.iterations < o_.iterations && quiet < 2) {
            ++result.iterations;
            const double before = energy_;
            std::swap(s_.gradient, s_.lastGradient);
            p_.gradient(s_.current, s_.gradient);
            const bool moved = o_.method == Descent::Lbfgs ? lbfgsStep() : conjugateStep();
            p_.iterated(result.iterations, energy_, s_.current);
            if (!moved)
                break;
            const bool little = before - energy_ <= o_.tolerance * (first - energy_);
            quiet = little ? quiet + 1 : 0;
        }
        result.evaluations = evaluations_;
        result.energy = energy_;
        result.slot = s_.current;
        return result;
    }

private:
    double evaluate(int slot) {
        ++evaluations_;
        return p_.value(slot);
    }

    void combine(int out, std::initializer_list<DescentTerm> terms) {
        p_.combine(out, {terms.begin(), terms.size()});
    }

    /// Direction −P g + β · the last one, β by Polak and Ribière, at least 0.
    bool conjugateStep() {
        const int g = s_.gradient;
        const bool follows = lastNorm_ > 0;
        const std::array<DescentProduct, 3> wanted{
            {{g, g, true}, {g, s_.lastGradient, true}, {g, s_.direction}}};
        std::array<double, 3> found{};
        p_.products(std::span(wanted).first(follows ? 3 : 1),
                    std::span(found).first(follows ? 3 : 1));
        const double norm = found[0];
        if (!(norm > 0))
            return false;
        double slope = 0, beta = 0;
        if (follows) {
            beta = std::max(0.0, (norm - found[1]) / lastNorm_);
            slope = -norm + beta * found[2];
        }
        if (slope < 0) {
            combine(s_.direction, {{-1, g, true}, {beta, s_.direction}});
        } else {
            restart();
            slope = -norm;
        }
        const double longest = p_.longest(s_.direction);
        double start = o_.firstStep / longest;
        if (lastStep_ > 0) // the energy fell by half the slope times the step, and should again
            start = std::clamp(lastStep_ * lastSlope_ / slope, 0.2 * lastReach_ / longest,
                               3 * lastReach_ / longest);
        const Step step = search(slope, {.length = start, .maxReach = o_.longestStep});
        if (step.length == 0) {
            if (lastNorm_ == 0)
                return false;
            lastNorm_ = 0; // once more, straight down
            lastStep_ = 0;
            return conjugateStep();
        }
        lastNorm_ = norm;
        lastStep_ = step.length;
        lastSlope_ = slope;
        lastReach_ = step.length * longest;
        return accept(step);
    }

    bool lbfgsStep() {
        if (stepped_) {
            combine(s_.lastGradient, {{1, s_.gradient}, {-1, s_.lastGradient}});
            s_.lastGradient = history_.keepChange(s_.lastGradient);
            stepped_ = false;
        }
        LbfgsHistory::Direction next = history_.direction(p_, s_.gradient);
        if (!(next.slope < 0) && !history_.empty()) {
            history_.clear();
            next = history_.direction(p_, s_.gradient);
        }
        if (!(next.slope < 0))
            return false;
        p_.combine(s_.direction, next.terms);
        const Step step = search(next.slope, {.length = 1,
                                              .reach = history_.empty() ? o_.firstStep : 0,
                                              .maxReach = o_.longestStep});
        if (step.length == 0) {
            if (history_.empty())
                return false;
            history_.clear();
            return lbfgsStep();
        }
        s_.direction = history_.keepStep(step.length, s_.direction);
        stepped_ = true;
        return accept(step);
    }

    /// Direction −P g.
    void restart() { combine(s_.direction, {{-1, s_.gradient, true}}); }

    /// A step that lowers the energy, near the minimum of the parabola through the energies and
    /// the slope; length 0 where none is found. The trial slot holds the step's unknowns.
    Step search(double slope, const StepLimit& limit) {
        const FirstStep first = p_.firstStep(s_.current, s_.direction, s_.trial, limit);
        ++evaluations_;
        const double maxLength = limit.maxReach / first.longest,
                     minLength = o_.smallestStep / first.longest;
        const auto at = [&](double length) {
            combine(s_.trial, {{1, s_.current}, {length, s_.direction}});
            return Step{length, evaluate(s_.trial)};
        };
        // Where the parabola with this slope at zero through the step has its minimum.
        const auto lowest = [&](Step step) {
            const double bend = step.energy - energy_ - slope * step.length;
            return bend > 0 ? -slope * step.length * step.length / (2 * bend) : 3 * step.length;
        };
        double length = limit.lengthOf(first.longest);
        for (bool isFirst = true; length >= minLength; isFirst = false) {
            const Step step = isFirst ? Step{length, first.energy} : at(length);
            const double best = std::isfinite(step.energy) ? lowest(step) : 0;
            if (!(step.energy < energy_ + 1e-4 * slope * length)) {
                length = std::clamp(best, 0.1 * length, 0.5 * length);
                continue;
            }
            const double farther = std::min({best, 4 * length, maxLength});
            if (farther < 1.6 * length && (best > 0.4 * length))
                return step;
            const Step other = at(best > length ? farther : best);
            if (other.energy < step.energy)
                return other;
            return at(step.length);
        }
        return {};
    }

    /// Makes the trial slot the current one.
    bool accept(const Step& step) {
        energy_ = step.energy;
        std::swap(s_.current, s_.trial);
        return true;
    }

    DescentProblem& p_;
    DescentOptions o_;
    Slots s_;
    double energy_ = 0;
    int evaluations_ = 0;
    double lastNorm_ = 0, lastStep_ = 0, lastSlope_ = 0, lastReach_ = 0;
    LbfgsHistory history_{commonSlots};
    bool stepped_ = false; ///< the last step's change of the gradient isn't known yet
};

} // namespace

FirstStep DescentProblem::firstStep(int from, int direction, int out, const StepLimit& limit) {
    FirstStep first;
    first.longest = longest(direction);
    const std::array<DescentTerm, 2> sum{{{1, from}, {limit.lengthOf(first.longest), direction}}};
    combine(out, sum);
    first.energy = value(out);
    return first;
}

int descentSlots(Descent method) {
    return commonSlots + (method == Descent::Lbfgs ? LbfgsHistory::slots : 0);
}

DescentResult minimize(DescentProblem& problem, const DescentOptions& options) {
    return Minimizer(problem, options).run();
}

} // namespace systole
