#include "compute/methods/ffd/optimizer.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

namespace systole {
namespace {

/// Slots of both methods; L-BFGS has its history behind them.
struct Slots {
    int current = 0, trial = 1, gradient = 2, lastGradient = 3, direction = 4, metric = 5;
};
constexpr int commonSlots = 6;
constexpr int history = 5; ///< pairs of L-BFGS

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

    /// Direction −P g + β · the last one, β by Polak and Ribière, at least 0.
    bool conjugateStep() {
        double slope = 0;
        p_.precondition(s_.gradient, s_.metric);
        const double norm = p_.dot(s_.gradient, s_.metric);
        if (!(norm > 0))
            return false;
        if (lastNorm_ > 0) {
            const double beta =
                std::max(0.0, (norm - p_.dot(s_.metric, s_.lastGradient)) / lastNorm_);
            p_.combine(s_.direction, -1, s_.metric, beta, s_.direction);
            slope = p_.dot(s_.gradient, s_.direction);
        }
        if (!(slope < 0)) {
            restart();
            slope = -norm;
        }
        const double longest = p_.longest(s_.direction);
        double start = o_.firstStep / longest;
        if (lastStep_ > 0) // the energy fell by half the slope times the step, and should again
            start = std::clamp(lastStep_ * lastSlope_ / slope, 0.2 * lastReach_ / longest,
                               3 * lastReach_ / longest);
        const Step step = search(slope, start, longest);
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
        keepPair();
        recursion();
        double slope = p_.dot(s_.gradient, s_.direction);
        if (!(slope < 0)) {
            pairs_.clear();
            restart();
            slope = p_.dot(s_.gradient, s_.direction);
            if (!(slope < 0))
                return false;
        }
        const double longest = p_.longest(s_.direction);
        const double start = pairs_.empty() ? o_.firstStep / longest : 1;
        const Step step = search(slope, start, longest);
        if (step.length == 0) {
            if (pairs_.empty())
                return false;
            pairs_.clear();
            return lbfgsStep();
        }
        open_ = freePair();
        p_.combine(open_->s, step.length, s_.direction, 0, s_.direction);
        return accept(step);
    }

    /// Completes the last step's pair with the change of the gradient.
    void keepPair() {
        if (!open_)
            return;
        p_.combine(open_->y, 1, s_.gradient, -1, s_.lastGradient);
        const double curvature = p_.dot(open_->s, open_->y);
        if (curvature > 0)
            pairs_.push_back({open_->s, open_->y, 1 / curvature});
        open_.reset();
    }

    /// Direction −P g.
    void restart() {
        p_.precondition(s_.gradient, s_.direction);
        p_.combine(s_.direction, -1, s_.direction, 0, s_.direction);
    }

    /// direction = −H · gradient, H from P, the last pairs of steps and changes of the gradient.
    void recursion() {
        p_.combine(s_.direction, -1, s_.gradient, 0, s_.gradient);
        std::vector<double> alpha(pairs_.size());
        for (std::size_t i = pairs_.size(); i-- > 0;) {
            alpha[i] = pairs_[i].inverse * p_.dot(pairs_[i].s, s_.direction);
            p_.combine(s_.direction, 1, s_.direction, -alpha[i], pairs_[i].y);
        }
        p_.precondition(s_.direction, s_.direction);
        if (!pairs_.empty()) {
            const Pair& last = pairs_.back();
            p_.precondition(last.y, s_.metric);
            const double scale = 1 / (last.inverse * p_.dot(last.y, s_.metric));
            p_.combine(s_.direction, scale, s_.direction, 0, s_.direction);
        }
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            const double beta = pairs_[i].inverse * p_.dot(pairs_[i].y, s_.direction);
            p_.combine(s_.direction, 1, s_.direction, alpha[i] - beta, pairs_[i].s);
        }
    }

    /// A step that lowers the energy, near the minimum of the parabola through the energies and
    /// the slope; length 0 where none is found. The trial slot holds the step's unknowns.
    Step search(double slope, double start, double longest) {
        const double most = o_.longestStep / longest, least = o_.smallestStep / longest;
        const auto at = [&](double length) {
            p_.combine(s_.trial, 1, s_.current, length, s_.direction);
            return Step{length, evaluate(s_.trial)};
        };
        // Where the parabola with this slope at zero through the step has its minimum.
        const auto lowest = [&](Step step) {
            const double bend = step.energy - energy_ - slope * step.length;
            return bend > 0 ? -slope * step.length * step.length / (2 * bend) : 3 * step.length;
        };
        double length = std::min(start, most);
        while (length >= least) {
            const Step step = at(length);
            const double best = std::isfinite(step.energy) ? lowest(step) : 0;
            if (!(step.energy < energy_ + 1e-4 * slope * length)) {
                length = std::clamp(best, 0.1 * length, 0.5 * length);
                continue;
            }
            const double farther = std::min({best, 4 * length, most});
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

    /// A pair of L-BFGS: a step, the change of the gradient, and 1 / (s · y).
    struct Pair {
        int s, y;
        double inverse = 0;
    };
    /// Slots of the pair that is new, or was oldest.
    Pair freePair() {
        if (pairs_.size() == history)
            pairs_.pop_front();
        for (int i = 0; i < history; ++i) {
            const int slot = commonSlots + 2 * i;
            if (std::none_of(pairs_.begin(), pairs_.end(),
                             [&](const Pair& pair) { return pair.s == slot; }))
                return {slot, slot + 1};
        }
        return {commonSlots, commonSlots + 1}; // not reached: one of them is free
    }

    DescentProblem& p_;
    DescentOptions o_;
    Slots s_;
    double energy_ = 0;
    int evaluations_ = 0;
    double lastNorm_ = 0, lastStep_ = 0, lastSlope_ = 0, lastReach_ = 0;
    std::deque<Pair> pairs_;
    std::optional<Pair> open_; ///< the last step's, whose change of the gradient isn't known yet
};

} // namespace

int descentSlots(Descent method) {
    return commonSlots + (method == Descent::Lbfgs ? 2 * history : 0);
}

DescentResult minimize(DescentProblem& problem, const DescentOptions& options) {
    return Minimizer(problem, options).run();
}

} // namespace systole
