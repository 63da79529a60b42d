#include "compute/landmarks/thin_plate_equations.h"

#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/landmarks/thin_plate_solve_cuda.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

bool allFinite(std::span<const Vec3> points) {
    return std::all_of(points.begin(), points.end(), [](Vec3 p) {
        return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
    });
}

void checkLandmarks(std::span<const Vec3> from, std::span<const Vec3> to) {
    if (from.size() != to.size())
        throw ComputeError(fmt::format(
            "a thin-plate spline needs as many landmarks to go to ({}) as to come from ({})",
            to.size(), from.size()));
    if (from.size() < 4)
        throw ComputeError(
            fmt::format("a thin-plate spline needs at least 4 landmarks, not {}", from.size()));
    if (!allFinite(from) || !allFinite(to))
        throw ComputeError("the landmarks of a thin-plate spline must be finite");
}

/// Main axes along which the points spread by more than a millionth of the longest.
Eigen::Matrix<double, 3, Eigen::Dynamic>
spreadAxes(const Eigen::Matrix<double, Eigen::Dynamic, 3>& points) {
    const Eigen::Matrix3d covariance = points.transpose() * points;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);
    const double least = 1e-12 * solver.eigenvalues()(2);
    Index first = 0;
    while (first < 3 && !(solver.eigenvalues()(first) > least))
        ++first;
    return solver.eigenvectors().rightCols(3 - first);
}

constexpr int columnsPerChunk = 32;

template <typename Matrix>
std::span<const double> valuesOf(const Matrix& matrix) {
    return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

} // namespace

ThinPlateEquations::ThinPlateEquations(std::span<const Vec3> from, std::span<const Vec3> to) {
    checkLandmarks(from, to);
    const auto n = static_cast<Index>(from.size());
    from_.resize(n, 3);
    displacements_.resize(n, 3);
    for (Index i = 0; i < n; ++i) {
        const Vec3 a = from[static_cast<std::size_t>(i)], b = to[static_cast<std::size_t>(i)];
        from_.row(i) << a.x, a.y, a.z;
        displacements_.row(i) << b.x - a.x, b.y - a.y, b.z - a.z;
    }
    center_ = from_.colwise().mean();
    from_.rowwise() -= center_;
    extent_ = from_.rowwise().norm().mean();
    axes_ = spreadAxes(from_);

    MatrixXd p(n, 1 + axes_.cols());
    p.col(0).setOnes();
    p.rightCols(axes_.cols()) = from_ * axes_;
    const Eigen::HouseholderQR<MatrixXd> qr(p);
    const Index rank = p.cols();
    r_ = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
    v_ = qr.matrixQR().triangularView<Eigen::UnitLower>();
    t_ = MatrixXd::Zero(rank, rank);
    for (Index j = 0; j < rank; ++j) {
        t_(j, j) = qr.hCoeffs()(j);
        t_.col(j).head(j) =
            -t_(j, j) * t_.topLeftCorner(j, j) * (v_.leftCols(j).transpose() * v_.col(j));
    }
}

MatrixXd ThinPlateEquations::multiply(std::span<const double> relaxation, const MatrixXd& right,
                                      const ExecContext& ctx, bool onDevice) const {
    MatrixXd product(landmarks(), right.cols());
    if (onDevice) {
        if constexpr (cudaIsBuilt)
            gpu::thinPlateProduct(valuesOf(from_), relaxation, valuesOf(right),
                                  static_cast<int>(right.cols()),
                                  {product.data(), static_cast<std::size_t>(product.size())}, ctx);
        return product;
    }
    parallelFor(ctx, static_cast<int>(landmarks()), columnsPerChunk, [&](int begin, int end) {
        ctx.throwIfCancelled();
        Eigen::VectorXd distances(landmarks());
        for (Index i = begin; i < end; ++i) {
            distances = (from_.rowwise() - from_.row(i)).rowwise().norm();
            distances(i) = -relaxation[static_cast<std::size_t>(i)];
            product.row(i) = distances.transpose() * right;
        }
    });
    return product;
}

MatrixXd ThinPlateEquations::lowRank(std::span<const double> relaxation, const ExecContext& ctx,
                                     bool onDevice) const {
    // Qᵀ S Q = S − V Yᵀ − Y Vᵀ,  Y = S V T − ½ V Tᵀ Vᵀ S V T,  for the symmetric S = K − D
    MatrixXd y = multiply(relaxation, v_, ctx, onDevice) * t_;
    y -= 0.5 * v_ * (t_.transpose() * (v_.transpose() * y));
    return y;
}

double ThinPlateEquations::solveOnDevice(std::span<const double> relaxation, MatrixXd& gamma,
                                         const ExecContext& ctx) const {
    const MatrixXd y = lowRank(relaxation, ctx, true);
    if constexpr (cudaIsBuilt)
        return gpu::solveThinPlate(valuesOf(from_), relaxation, valuesOf(v_), valuesOf(y),
                                   static_cast<int>(v_.cols()),
                                   {gamma.data(), static_cast<std::size_t>(gamma.size())}, ctx);
    return 0;
}

void ThinPlateEquations::reduce(std::span<const double> relaxation, Eigen::Ref<MatrixXd> matrix,
                                const ExecContext& ctx) const {
    const Index rank = v_.cols(), n = landmarks();
    const MatrixXd y = lowRank(relaxation, ctx, false);
    parallelFor(ctx, static_cast<int>(free()), columnsPerChunk, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (Index column = begin; column < end; ++column) {
            const Index j = column + rank, count = n - j;
            auto out = matrix.col(column).tail(count);
            out = -(from_.bottomRows(count).rowwise() - from_.row(j)).rowwise().norm();
            out(0) = relaxation[static_cast<std::size_t>(j)];
            out.noalias() += v_.bottomRows(count) * y.row(j).transpose();
            out.noalias() += y.bottomRows(count) * v_.row(j).transpose();
        }
    });
}

MatrixXd ThinPlateEquations::project(const MatrixXd& rows) const {
    return rows.bottomRows(free()) -
           v_.bottomRows(free()) * (t_.transpose() * (v_.transpose() * rows));
}

MatrixXd ThinPlateEquations::expand(const MatrixXd& gamma) const {
    MatrixXd rows = -v_ * (t_ * (v_.bottomRows(free()).transpose() * gamma));
    rows.bottomRows(free()) += gamma;
    return rows;
}

ThinPlateSpline ThinPlateEquations::spline(const MatrixXd& weights,
                                           std::span<const double> relaxation,
                                           const ExecContext& ctx, bool onDevice) const {
    const Index rank = v_.cols();
    const MatrixXd left = displacements_ - multiply(relaxation, weights, ctx, onDevice); // P r
    const MatrixXd top =
        left.topRows(rank) - v_.topRows(rank) * (t_.transpose() * (v_.transpose() * left));
    const MatrixXd r = r_.triangularView<Eigen::Upper>().solve(top);
    const Eigen::Matrix3d gradient = axes_ * r.bottomRows(rank - 1);
    const Eigen::RowVector3d constant = r.row(0) - center_ * gradient;
    const Eigen::Matrix3d slopes = gradient + Eigen::Matrix3d::Identity();

    ThinPlateSpline spline;
    for (Index i = 0; i < landmarks(); ++i) {
        const Eigen::RowVector3d p = from_.row(i) + center_;
        spline.landmarks.push_back({p(0), p(1), p(2)});
        spline.weights.push_back({weights(i, 0), weights(i, 1), weights(i, 2)});
    }
    for (Index c = 0; c < 3; ++c)
        spline.affine[static_cast<std::size_t>(c)] = {constant(c), slopes(0, c), slopes(1, c),
                                                      slopes(2, c)};
    return spline;
}

} // namespace systole
