#include "compute/core/error.h"
#include "compute/landmarks/thin_plate.h"
#include "compute/landmarks/thin_plate_math.h"
#include "compute/landmarks/thin_plate_rows.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <string>

namespace systole {
namespace {

bool allFinite(std::span<const Vec3> points) {
    return std::all_of(points.begin(), points.end(), [](Vec3 p) {
        return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
    });
}

void checkLandmarks(std::span<const Vec3> from, std::span<const Vec3> to, double kappa) {
    if (from.size() != to.size())
        throw ComputeError("a thin-plate spline needs as many landmarks to go to (" +
                           std::to_string(to.size()) + ") as to come from (" +
                           std::to_string(from.size()) + ")");
    if (from.size() < 4)
        throw ComputeError("a thin-plate spline needs at least 4 landmarks, not " +
                           std::to_string(from.size()));
    if (!allFinite(from) || !allFinite(to))
        throw ComputeError("the landmarks of a thin-plate spline must be finite");
    if (!std::isfinite(kappa) || kappa < 0)
        throw ComputeError("the relaxation of a thin-plate spline must be finite and at least 0");
}

/// The lengths of all columns but the first in a QR decomposition of P show whether the landmarks
/// spread in three directions.
bool inOnePlane(const Eigen::HouseholderQR<Eigen::MatrixXd>& qr) {
    const Eigen::Vector3d spread = qr.matrixQR().diagonal().tail<3>().cwiseAbs();
    return spread.minCoeff() <= 1e-9 * spread.maxCoeff();
}

void transformPlainRow(const tps::Affine& affine, std::span<const tps::Term> terms, float y,
                       float z, int count, float* const (&out)[3]) {
    const auto root = [](float squared) { return std::sqrt(squared); };
    for (int x = 0; x < count; ++x) {
        const tps::Point p{static_cast<float>(x), y, z};
        tps::Point sum{0, 0, 0};
        for (const tps::Term& term : terms)
            tps::addTerm(term, p, root, sum);
        const tps::Point start = tps::affineAt(affine, p);
        out[0][x] = start.x + sum.x;
        out[1][x] = start.y + sum.y;
        out[2][x] = start.z + sum.z;
    }
}

} // namespace

Vec3 ThinPlateSpline::at(Vec3 p) const {
    Vec3 value;
    for (std::size_t c = 0; c < 3; ++c) {
        const std::array<double, 4>& r = affine[c];
        value[static_cast<int>(c)] = r[0] + r[1] * p.x + r[2] * p.y + r[3] * p.z;
    }
    for (std::size_t j = 0; j < landmarks.size(); ++j)
        value = value + length(landmarks[j] - p) * weights[j];
    return value;
}

/// Weights that keep Pᵀw = 0 are w = Q₂γ with the columns of Q beyond P's own. On them κI − K is
/// positive definite: a Cholesky decomposition is half the work of a general solve and also detects
/// landmarks at the same place.
ThinPlateSpline fitThinPlate(std::span<const Vec3> from, std::span<const Vec3> to, double kappa) {
    checkLandmarks(from, to, kappa);
    const auto n = static_cast<Eigen::Index>(from.size());
    Eigen::MatrixXd p(n, 4), y(n, 3);
    for (Eigen::Index i = 0; i < n; ++i) {
        const Vec3 a = from[static_cast<std::size_t>(i)], b = to[static_cast<std::size_t>(i)];
        p.row(i) << 1, a.x, a.y, a.z;
        y.row(i) << b.x, b.y, b.z;
    }
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(p);
    if (inOnePlane(qr))
        throw ComputeError("the landmarks of a thin-plate spline must not lie in one plane");
    Eigen::MatrixXd k(n, n);
    for (Eigen::Index j = 0; j < n; ++j)
        for (Eigen::Index i = 0; i < n; ++i)
            k(i, j) = i == j ? -kappa : (p.row(i) - p.row(j)).norm();

    k.applyOnTheLeft(qr.householderQ().adjoint());
    y.applyOnTheLeft(qr.householderQ().adjoint());
    k.applyOnTheRight(qr.householderQ()); // now QᵀKQ, and Qᵀy
    const Eigen::Index free = n - 4;
    Eigen::MatrixXd w = Eigen::MatrixXd::Zero(n, 3);
    if (free > 0) {
        const Eigen::LLT<Eigen::MatrixXd> cholesky(-k.bottomRightCorner(free, free));
        if (cholesky.info() != Eigen::Success || !(cholesky.rcond() > 1e-14))
            throw ComputeError("two landmarks of a thin-plate spline lie at one place");
        w.bottomRows(free) = -cholesky.solve(y.bottomRows(free));
    }
    const Eigen::MatrixXd r = qr.matrixQR().topRows(4).triangularView<Eigen::Upper>().solve(
        y.topRows(4) - k.topRightCorner(4, free) * w.bottomRows(free));
    w.applyOnTheLeft(qr.householderQ());

    ThinPlateSpline spline;
    spline.landmarks.assign(from.begin(), from.end());
    for (Eigen::Index j = 0; j < n; ++j)
        spline.weights.push_back({w(j, 0), w(j, 1), w(j, 2)});
    for (Eigen::Index c = 0; c < 3; ++c)
        for (Eigen::Index i = 0; i < 4; ++i)
            spline.affine[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)] = r(i, c);
    return spline;
}

void transformGrid(const ThinPlateSpline& spline, FieldView<float> positions,
                   const ExecContext& ctx) {
    const tps::Affine affine = tps::affineOf(spline);
    const std::vector<tps::Term> terms = tps::termsOf(spline);
    const Size3 size = positions.size;
    parallelFor(ctx, size.y * size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int row = begin; row < end; ++row) {
            const std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(size.x);
            const int plane = row / size.y;
            const auto y = static_cast<float>(row % size.y), z = static_cast<float>(plane);
            float* const out[3] = {positions.u + i, positions.v + i, positions.w + i};
            if (ctx.backend == Backend::CpuReference)
                transformPlainRow(affine, terms, y, z, size.x, out);
            else
                tps::transformRow(affine, terms, y, z, size.x, out);
        }
    });
}

} // namespace systole
