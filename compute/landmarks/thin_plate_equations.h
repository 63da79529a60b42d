// The equations of a thin-plate spline, reduced to the weights that an affine map leaves free.
//
// P has a row (1, p_i) for each landmark. Weights with Pᵀw = 0 are w = Q₂γ with the columns of Q
// beyond P's own in P = QR. On them −K is positive definite, and with relaxations D = diag(κ_i)
//     (D − K)₂₂ γ = −(Qᵀd)₂,   P r = d − (K − D) w
// for the displacements d = to − from; the identity is added to the affine part.
// Q = I − V T Vᵀ (Householder vectors V), which makes Qᵀ(K − D)Q a change of rank 8 of K.
#pragma once

#include "compute/core/buffer.h"
#include "compute/core/exec.h"
#include "compute/landmarks/thin_plate.h"

#include <Eigen/Core>

#include <span>

namespace systole {

class ThinPlateEquations {
public:
    /// Throws ComputeError unless both have the same length of at least four and are finite. The
    /// landmarks are copied.
    ThinPlateEquations(std::span<const Vec3> from, std::span<const Vec3> to);

    Eigen::Index landmarks() const { return from_.rows(); }
    /// Weights that the affine map leaves free.
    Eigen::Index free() const { return from_.rows() - v_.cols(); }
    /// Directions in which the landmarks spread: 3, less if they lie in a plane or on a line.
    /// Across it the displacement has no slope.
    Eigen::Index directions() const { return axes_.cols(); }
    /// The mean distance of a landmark from their center.
    double extent() const { return extent_; }
    /// A row per landmark.
    const Eigen::MatrixXd& displacements() const { return displacements_; }

    /// Sets the lower triangle of `matrix`, free() × free(), to (D − K)₂₂ for one relaxation per
    /// landmark.
    void reduce(std::span<const double> relaxation, Eigen::Ref<Eigen::MatrixXd> matrix,
                const ExecContext& ctx) const;
    /// Overwrites `gamma`, a row per unknown, with the solution of (D − K)₂₂ γ = gamma by the
    /// device; returns the smallest pivot, 0 if there is none.
    double solveOnDevice(std::span<const double> relaxation, Eigen::MatrixXd& gamma,
                         const ExecContext& ctx) const;
    /// (Qᵀ rows)₂
    Eigen::MatrixXd project(const Eigen::MatrixXd& rows) const;
    /// Q₂ γ, for any number of columns
    Eigen::MatrixXd expand(const Eigen::MatrixXd& gamma) const;
    /// The spline with these weights, a row per landmark.
    ThinPlateSpline spline(const Eigen::MatrixXd& weights, std::span<const double> relaxation,
                           const ExecContext& ctx, bool onDevice = false) const;

private:
    /// (K − D) · right
    Eigen::MatrixXd multiply(std::span<const double> relaxation, const Eigen::MatrixXd& right,
                             const ExecContext& ctx, bool onDevice) const;
    /// Y of the change of rank 8.
    Eigen::MatrixXd lowRank(std::span<const double> relaxation, const ExecContext& ctx,
                            bool onDevice) const;

    Eigen::Matrix<double, Eigen::Dynamic, 3> from_; ///< less their center
    Eigen::MatrixXd displacements_;
    Eigen::RowVector3d center_;
    Eigen::Matrix<double, 3, Eigen::Dynamic> axes_; ///< basis of the affine map's slopes
    Eigen::MatrixXd v_, t_, r_;
    double extent_ = 0;
};

/// Square matrix of n rows in memory of ctx.pool.
class PooledMatrix {
public:
    PooledMatrix(Eigen::Index n, const char* name, const ExecContext& ctx)
        : buffer_(ctx.pool->acquire<double>(static_cast<std::size_t>(n * n), name)), n_(n) {}
    Eigen::Map<Eigen::MatrixXd> map() { return {buffer_.data(), n_, n_}; }

private:
    Buffer<double> buffer_;
    Eigen::Index n_;
};

} // namespace systole
