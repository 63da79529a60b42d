#include "compute/methods/ffd/affine_fit.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace systole::affine {
namespace {

/// Extent of a direction below this share of the widest one is none, as a variance.
constexpr double minExtent = 1e-8;

Eigen::Vector3d vector(Vec3 v) { return {v.x, v.y, v.z}; }

AffineMap mapOf(const Eigen::Matrix3d& matrix, const Eigen::Vector3d& offset) {
    AffineMap map;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            map.matrix[row][column] =
                matrix(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
    map.offset = {offset.x(), offset.y(), offset.z()};
    return map;
}

/// Means, and second moments about them.
struct Moments {
    Eigen::Vector3d from = Eigen::Vector3d::Zero(), to = Eigen::Vector3d::Zero();
    Eigen::Matrix3d fromFrom = Eigen::Matrix3d::Zero(); ///< Σ (p − p̄)(p − p̄)ᵀ
    Eigen::Matrix3d toFrom = Eigen::Matrix3d::Zero();   ///< Σ (q − q̄)(p − p̄)ᵀ
};

template <typename PairAt>
Moments momentsOf(std::size_t count, const PairAt& pairAt) {
    Moments m;
    for (std::size_t i = 0; i < count; ++i) {
        m.from += vector(pairAt(i).from);
        m.to += vector(pairAt(i).to);
    }
    m.from /= static_cast<double>(count);
    m.to /= static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Eigen::Vector3d p = vector(pairAt(i).from) - m.from, q = vector(pairAt(i).to) - m.to;
        m.fromFrom += p * p.transpose();
        m.toFrom += q * p.transpose();
    }
    return m;
}

Eigen::Matrix3d rotation(const Moments& m) {
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(m.toFrom,
                                                Eigen::ComputeFullU | Eigen::ComputeFullV);
    Eigen::Vector3d sign(1, 1, 1);
    sign.z() = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
    return svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
}

/// Identity plus the smallest change that fits.
Eigen::Matrix3d linearPart(const Moments& m) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(m.fromFrom);
    const double widest = axes.eigenvalues().maxCoeff();
    Eigen::Vector3d inverse = Eigen::Vector3d::Zero();
    for (Eigen::Index k = 0; k < 3; ++k)
        if (axes.eigenvalues()(k) > minExtent * widest)
            inverse(k) = 1 / axes.eigenvalues()(k);
    return Eigen::Matrix3d::Identity() + (m.toFrom - m.fromFrom) * axes.eigenvectors() *
                                             inverse.asDiagonal() * axes.eigenvectors().transpose();
}

AffineMap fit(const Moments& m, Freedom freedom) {
    const Eigen::Matrix3d matrix = freedom == Freedom::Rigid ? rotation(m) : linearPart(m);
    return mapOf(matrix, m.to - matrix * m.from);
}

Eigen::Matrix4d homogeneous(const AffineMap& map) {
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            m(row, column) =
                map.matrix[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
        m(row, 3) = map.offset[row];
    }
    return m;
}

/// Square root by the iteration of Denman and Beavers, Appl. Math. Comput. 2, 1976; empty if it
/// diverges.
std::optional<Eigen::Matrix4d> squareRoot(const Eigen::Matrix4d& matrix) {
    Eigen::Matrix4d y = matrix, z = Eigen::Matrix4d::Identity();
    for (int n = 0; n < 50; ++n) {
        const Eigen::Matrix4d next = 0.5 * (y + z.inverse());
        z = 0.5 * (z + y.inverse()).eval();
        const double change = (next - y).norm();
        y = next;
        if (!std::isfinite(change))
            return std::nullopt;
        if (change <= 1e-13 * y.norm())
            return y;
    }
    return (y * y - matrix).norm() <= 1e-9 * matrix.norm() ? std::optional(y) : std::nullopt;
}

} // namespace

AffineMap leastSquares(std::span<const PointPair> pairs, Freedom freedom) {
    return fit(momentsOf(pairs.size(), [&](std::size_t i) { return pairs[i]; }), freedom);
}

TrimmedFit leastTrimmedSquares(std::span<const PointPair> pairs, double share, Freedom freedom,
                               const AffineMap& start, int maxSteps) {
    const auto keep = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(pairs.size()))), 1,
        pairs.size());
    TrimmedFit result{start, {}, 0};
    std::vector<std::pair<double, int>> distances(pairs.size()), sorted;
    double before = -1;
    for (int step = 0; step <= maxSteps; ++step) {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const Vec3 d = result.map(pairs[i].from) - pairs[i].to;
            distances[i] = {dot(d, d), static_cast<int>(i)};
        }
        // Ties are decided by the index, so that there is one answer; those kept are taken in the
        // order of the pairs, so that sums have one order, too.
        sorted = distances;
        const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(keep - 1);
        std::nth_element(sorted.begin(), last, sorted.end());
        result.kept.clear();
        double sum = 0;
        for (const std::pair<double, int>& distance : distances)
            if (distance <= *last) {
                result.kept.push_back(distance.second);
                sum += distance.first;
            }
        result.rms = std::sqrt(sum / static_cast<double>(keep));
        if (step == maxSteps || (before >= 0 && before - sum <= 1e-4 * before))
            break;
        before = sum;
        result.map = fit(momentsOf(keep,
                                   [&](std::size_t i) {
                                       return pairs[static_cast<std::size_t>(result.kept[i])];
                                   }),
                         freedom);
    }
    return result;
}

std::optional<AffineMap> halfWay(const AffineMap& a, const AffineMap& b) {
    const std::optional<AffineMap> back = a.inverse();
    if (!back)
        return std::nullopt;
    const std::optional<Eigen::Matrix4d> half = squareRoot(homogeneous(*back) * homogeneous(b));
    if (!half)
        return std::nullopt;
    const Eigen::Matrix4d middle = homogeneous(a) * *half;
    return mapOf(middle.topLeftCorner<3, 3>(), middle.topRightCorner<3, 1>());
}

} // namespace systole::affine
