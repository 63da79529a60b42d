#include "compute/landmarks/robust_fit.h"

#include "compute/core/error.h"
#include "compute/core/median.h"
#include "compute/landmarks/neighbor_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {
namespace {

constexpr int maxPasses = 4, maxRounds = 15;
constexpr std::size_t fewestJudged = 6;
constexpr int surroundings = 16; ///< landmarks whose median is that of the neighborhood
/// The median length of three normal components of unit variance.
constexpr double medianOfThree = 1.5382;

class Judgment {
public:
    Judgment(std::span<const Vec3> from, std::span<const Vec3> to,
             std::span<const double> certainty, const RobustFitSettings& settings,
             const ExecContext& ctx)
        : from_(from)
        , to_(to)
        , certainty_(certainty)
        , settings_(settings)
        , ctx_(ctx)
        , displacements_(from.size())
        , weights_(from.size(), 1.0)
        , predictions_(from.size()) {
        for (std::size_t i = 0; i < from.size(); ++i)
            displacements_[i] = to[i] - from[i];
    }

    RobustFit run() {
        RobustFit fit;
        if (settings_.reject && from_.size() >= fewestJudged) {
            table_ = nearestNeighbors(from_, consideredNeighbors, ctx_);
            spacing_ = medianSpacing();
            beginWithAgreement();
            fit.rounds = judgeUntilItStands();
            fit.validationError = missed();
        } else {
            kappa_ = chosenKappa();
            fit.validationError = validated_;
        }
        fit.kappa = kappa_;
        fit.weights = weights_;
        fit.rejected = static_cast<int>(std::ranges::count(weights_, 0.0));
        fit.spline = splineOfTheRest();
        return fit;
    }

private:
    double certaintyOf(std::size_t i) const { return certainty_.empty() ? 1 : certainty_[i]; }

    double medianSpacing() const {
        std::vector<double> nearest;
        for (std::size_t i = 0; i < from_.size(); ++i) {
            const auto j = static_cast<std::size_t>(table_.of(static_cast<int>(i))[0]);
            nearest.push_back(length(from_[j] - from_[i]));
        }
        return median(nearest);
    }

    /// Compares landmarks with medians of their neighbors, which stay right while fewer than half
    /// of these are wrong.
    void beginWithAgreement() {
        const std::vector<unsigned char> all(from_.size(), 1);
        std::vector<unsigned char> agrees(from_.size());
        judgeAgreement(from_, displacements_, all, table_, {.tolerance = settings_.tolerance},
                       agrees, ctx_);
        for (std::size_t i = 0; i < weights_.size(); ++i)
            weights_[i] = agrees[i];
    }

    int judgeUntilItStands() {
        int rounds = 0;
        for (int pass = 0; pass < maxPasses; ++pass) {
            const std::vector<double> before = weights_;
            kappa_ = chosenKappa();
            for (int round = 0; round < maxRounds; ++round, ++rounds)
                if (!reweight())
                    break;
            const auto same = [](double a, double b) { return (a > 0) == (b > 0); };
            if (settings_.kappa || std::ranges::equal(before, weights_, same))
                break;
        }
        return rounds;
    }

    /// A relaxation above 0: weights would change nothing without one, and judging needs some
    /// noise.
    double judgingKappa() const { return std::max(kappa_, 0.02 * spacing_); }

    /// Returns whether a weight has changed by more than a hundredth.
    bool reweight() {
        std::vector<double> weights(weights_);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] *= certaintyOf(i);
        const double kappa = judgingKappa();
        predictFromNeighbors(from_, displacements_, weights, kappa, table_, predictions_, ctx_);
        std::vector<double> normalized(from_.size()), counting;
        for (std::size_t i = 0; i < from_.size(); ++i) {
            normalized[i] = missedBy(i) / std::sqrt(predictions_[i].variance + kappa);
            if (weights_[i] > 0 && predictions_[i].known)
                counting.push_back(normalized[i]);
        }
        if (counting.empty())
            return false;
        const double overall = median(counting) / medianOfThree;
        bool changed = false;
        for (std::size_t i = 0; i < from_.size(); ++i) {
            if (!predictions_[i].known)
                continue;
            const double tau = std::max(overall, around(static_cast<int>(i), normalized));
            const double allowed =
                settings_.threshold * tau * std::sqrt(predictions_[i].variance + kappa) +
                settings_.tolerance;
            const double t = missedBy(i) / allowed;
            const double weight = t < 1 ? (1 - t * t) * (1 - t * t) : 0;
            changed = changed || std::abs(weight - weights_[i]) > 0.01;
            weights_[i] = weight;
        }
        return changed;
    }

    /// τ of the landmarks around one.
    double around(int point, const std::vector<double>& normalized) const {
        std::vector<double> values;
        for (const int index : table_.of(point)) {
            const auto j = static_cast<std::size_t>(index);
            if (weights_[j] > 0 && predictions_[j].known)
                values.push_back(normalized[j]);
            if (values.size() == surroundings)
                break;
        }
        return values.empty() ? 0 : median(values) / medianOfThree;
    }

    double missedBy(std::size_t i) const {
        return length(displacements_[i] - predictions_[i].displacement);
    }

    double missed() const {
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < from_.size(); ++i)
            if (weights_[i] > 0 && predictions_[i].known) {
                sum += missedBy(i) * missedBy(i);
                ++count;
            }
        return count > 0 ? std::sqrt(sum / count) : std::numeric_limits<double>::quiet_NaN();
    }

    /// Indices of the landmarks that count. Throws ComputeError if fewer than four are left.
    std::vector<std::size_t> rest() const {
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < weights_.size(); ++i)
            if (weights_[i] > 0)
                kept.push_back(i);
        if (kept.size() < 4 && from_.size() >= 4)
            throw ComputeError(fmt::format("of {} landmarks only {} agree with their neighbors; a "
                                           "thin-plate spline needs at least 4",
                                           from_.size(), kept.size()));
        return kept;
    }

    double chosenKappa() {
        std::vector<Vec3> from, to;
        for (const std::size_t i : rest()) {
            from.push_back(from_[i]);
            to.push_back(to_[i]);
        }
        if (settings_.kappa) {
            validated_ = std::numeric_limits<double>::quiet_NaN();
            if (!settings_.reject)
                validated_ =
                    validationError(from, to, *settings_.kappa, settings_.validation, ctx_);
            return *settings_.kappa;
        }
        const CrossValidation chosen = chooseKappa(from, to, settings_.validation, ctx_);
        validated_ = chosen.error;
        return chosen.kappa;
    }

    ThinPlateSpline splineOfTheRest() const {
        std::vector<Vec3> from, to;
        std::vector<double> relaxation;
        for (const std::size_t i : rest()) {
            from.push_back(from_[i]);
            to.push_back(to_[i]);
            relaxation.push_back(kappa_ / (weights_[i] * certaintyOf(i)));
        }
        return fitThinPlate(from, to, relaxation, ctx_);
    }

    std::span<const Vec3> from_, to_;
    std::span<const double> certainty_;
    const RobustFitSettings& settings_;
    const ExecContext& ctx_;
    NeighborTable table_;
    double spacing_ = 0, kappa_ = 0, validated_ = 0;
    std::vector<Vec3> displacements_;
    std::vector<double> weights_; ///< weights by agreement only, without certainty
    std::vector<NeighborPrediction> predictions_;
};

} // namespace

RobustFit fitRobustly(std::span<const Vec3> from, std::span<const Vec3> to,
                      std::span<const double> certainty, const RobustFitSettings& settings,
                      const ExecContext& ctx) {
    if (from.size() != to.size() || (!certainty.empty() && certainty.size() != from.size()))
        throw ComputeError(fmt::format("{} landmarks go to {} places with {} certainties; their "
                                       "numbers must be equal",
                                       from.size(), to.size(), certainty.size()));
    if (std::ranges::any_of(certainty, [](double c) { return !(c > 0) || !std::isfinite(c); }))
        throw ComputeError("the certainty of a landmark must be finite and greater than 0");
    if (settings.kappa && !(*settings.kappa >= 0 && std::isfinite(*settings.kappa)))
        throw ComputeError("the relaxation of a thin-plate spline must be finite and at least 0");
    if (from.size() < 4)
        throw ComputeError(
            fmt::format("a thin-plate spline needs at least 4 landmarks, not {}", from.size()));
    for (std::size_t i = 0; i < from.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            if (!std::isfinite(from[i][axis]) || !std::isfinite(to[i][axis]))
                throw ComputeError("the landmarks of a thin-plate spline must be finite");
    return Judgment(from, to, certainty, settings, ctx).run();
}

} // namespace systole
