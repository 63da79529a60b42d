#include "compute/landmarks/cross_validation.h"

#include "compute/landmarks/thin_plate_equations.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace systole {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index fewest = 6;

/// Every n-th, so that at most `most` remain.
std::vector<Vec3> thinned(std::span<const Vec3> points, int most) {
    const std::size_t count = std::min(points.size(), static_cast<std::size_t>(most));
    std::vector<Vec3> kept;
    for (std::size_t k = 0; k < count; ++k)
        kept.push_back(points[k * points.size() / count]);
    return kept;
}

/// The decomposition, and the score of every relaxation from it.
class Validation {
public:
    Validation(std::span<const Vec3> from, std::span<const Vec3> to,
               const CrossValidationSettings& settings, const ExecContext& ctx)
        : ctx_(ctx)
        , equations_(thinned(from, settings.landmarks), thinned(to, settings.landmarks)) {
        const Index n = equations_.landmarks();
        folds_ = n < 4 * settings.folds ? n : settings.folds;
        if (n < fewest)
            return;
        PooledMatrix memory(equations_.free(), "cross-validation", ctx);
        auto matrix = memory.map();
        equations_.reduce(std::vector<double>(static_cast<std::size_t>(n), 0.0), matrix, ctx);
        ctx.throwIfCancelled();
        const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
        values_ = solver.eigenvalues();
        basis_ = equations_.expand(solver.eigenvectors());
        projected_ = basis_.transpose() * equations_.displacements();
    }

    bool possible() const { return equations_.landmarks() >= fewest; }
    double smallest() const { return std::max(1e-2 * values_(0), 1e-7 * largest()); }
    double largest() const { return 10 * values_(values_.size() - 1); }

    /// Infinite where the rest doesn't determine what was left out.
    double error(double kappa) const {
        const VectorXd inverse = (values_.array() + kappa).inverse();
        const MatrixXd coefficients = inverse.asDiagonal() * projected_;
        const auto n = static_cast<int>(equations_.landmarks()), folds = static_cast<int>(folds_);
        const double squared = parallelSum(ctx_, folds, 1, [&](int begin, int end) {
            ctx_.throwIfCancelled();
            double sum = 0;
            for (int fold = begin; fold < end; ++fold) {
                MatrixXd rows((n - fold + folds - 1) / folds, basis_.cols());
                for (Index i = 0; i < rows.rows(); ++i)
                    rows.row(i) = basis_.row(fold + i * folds);
                const MatrixXd g = rows * inverse.asDiagonal() * rows.transpose();
                const Eigen::LLT<MatrixXd> cholesky(g);
                if (cholesky.info() != Eigen::Success || !(cholesky.rcond() > 1e-12))
                    return std::numeric_limits<double>::infinity();
                sum += cholesky.solve(rows * coefficients).squaredNorm();
            }
            return sum;
        });
        return std::sqrt(squared / n);
    }

private:
    const ExecContext& ctx_;
    ThinPlateEquations equations_;
    Index folds_ = 0;
    VectorXd values_;    ///< Λ, ascending
    MatrixXd basis_;     ///< Q₂ U
    MatrixXd projected_; ///< Uᵀ Q₂ᵀ y
};

} // namespace

CrossValidation chooseKappa(std::span<const Vec3> from, std::span<const Vec3> to,
                            const CrossValidationSettings& settings, const ExecContext& ctx) {
    const Validation validation(from, to, settings, ctx);
    if (!validation.possible())
        return {0, std::numeric_limits<double>::quiet_NaN()};
    const auto at = [&](double logarithm) { return validation.error(std::exp(logarithm)); };
    constexpr int steps = 24;
    const double low = std::log(validation.smallest()),
                 step = (std::log(validation.largest()) - low) / steps;
    double best = low, error = at(low);
    for (int k = 1; k <= steps; ++k)
        if (const double value = at(low + k * step); value < error) {
            best = low + k * step;
            error = value;
        }
    // Halved towards the better side: the curve is flat around its minimum.
    for (double width = step / 2; width > step / 16; width /= 2)
        for (const double candidate : {best - width, best + width})
            if (const double value = at(candidate); value < error) {
                best = candidate;
                error = value;
            }
    return {std::exp(best), error};
}

double validationError(std::span<const Vec3> from, std::span<const Vec3> to, double kappa,
                       const CrossValidationSettings& settings, const ExecContext& ctx) {
    const Validation validation(from, to, settings, ctx);
    return validation.possible() ? validation.error(kappa)
                                 : std::numeric_limits<double>::quiet_NaN();
}

} // namespace systole
