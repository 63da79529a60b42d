#include "compute/core/geometry.h"

#include "compute/core/error.h"
#include "compute/core/points.h"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <cmath>

namespace systole {
namespace {

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Eigen::Matrix3d toEigen(const Matrix3& m) { return Eigen::Map<const RowMajor3>(m[0].data()); }

Matrix3 fromEigen(const Eigen::Matrix3d& e) {
    Matrix3 m;
    Eigen::Map<RowMajor3>(m[0].data()) = e;
    return m;
}

} // namespace

double length(Vec3 a) { return std::sqrt(dot(a, a)); }

Vec3 operator*(const Matrix3& m, Vec3 v) {
    Vec3 r;
    for (std::size_t row = 0; row < 3; ++row)
        r[static_cast<int>(row)] = m[row][0] * v.x + m[row][1] * v.y + m[row][2] * v.z;
    return r;
}

Geometry::Geometry() : Geometry({1, 1, 1}, {1, 1, 1}) {}

Geometry::Geometry(Size3 size, Vec3 spacing, Vec3 origin, const Matrix3& direction)
    : size_(size), spacing_(spacing), origin_(origin), direction_(direction) {
    if (size.x < 1 || size.y < 1 || size.z < 1)
        throw ComputeError(
            fmt::format("a grid needs at least one voxel along each axis, not {}×{}×{}", size.x,
                        size.y, size.z));
    if (!isFinite(spacing) || spacing.x <= 0 || spacing.y <= 0 || spacing.z <= 0)
        throw ComputeError(
            fmt::format("voxel spacing must be finite and positive, not {} × {} × {} mm", spacing.x,
                        spacing.y, spacing.z));
    if (!isFinite(origin))
        throw ComputeError("the origin of the grid is not a finite position");
    const Eigen::Matrix3d d = toEigen(direction);
    if (!d.allFinite() || std::abs(d.determinant()) < 1e-6)
        throw ComputeError("the direction matrix of the grid is not invertible");
    const Eigen::Matrix3d m = d * Eigen::Vector3d(spacing.x, spacing.y, spacing.z).asDiagonal();
    toPhysical_ = fromEigen(m);
    toIndex_ = fromEigen(m.inverse());
}

Vec3 Geometry::indexToPhysical(Vec3 index) const { return origin_ + toPhysical_ * index; }
Vec3 Geometry::physicalToIndex(Vec3 p) const { return toIndex_ * (p - origin_); }
Vec3 Geometry::voxelVectorToPhysical(Vec3 v) const { return toPhysical_ * v; }
Vec3 Geometry::physicalVectorToVoxel(Vec3 v) const { return toIndex_ * v; }

Vec3 Geometry::center() const {
    return indexToPhysical({0.5 * (size_.x - 1), 0.5 * (size_.y - 1), 0.5 * (size_.z - 1)});
}

Geometry::AnatomicalAxis Geometry::axisAlong(int lpsAxis) const {
    // The permutation that maximizes the summed cosines, so that an oblique grid near 45 degrees
    // still gives each LPS axis an index axis of its own.
    static constexpr int permutations[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                               {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    double best = -1;
    AnatomicalAxis axis;
    for (const auto& p : permutations) {
        double sum = 0;
        for (std::size_t a = 0; a < 3; ++a)
            sum += std::abs(direction_[a][static_cast<std::size_t>(p[a])]);
        if (sum > best + 1e-9) {
            best = sum;
            axis.indexAxis = p[lpsAxis];
        }
    }
    const double cosine =
        direction_[static_cast<std::size_t>(lpsAxis)][static_cast<std::size_t>(axis.indexAxis)];
    axis.sign = cosine < 0 ? -1 : 1;
    return axis;
}

std::string Geometry::orientationLetters() const {
    static constexpr char positive[] = {'L', 'P', 'S'};
    static constexpr char negative[] = {'R', 'A', 'I'};
    std::string letters = "???";
    for (int lps = 0; lps < 3; ++lps) {
        const AnatomicalAxis axis = axisAlong(lps);
        letters[static_cast<std::size_t>(axis.indexAxis)] =
            axis.sign > 0 ? positive[lps] : negative[lps];
    }
    return letters;
}

bool Geometry::isOrthonormal(double tolerance) const {
    const Eigen::Matrix3d d = toEigen(direction_);
    return (d.transpose() * d - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() <= tolerance;
}

bool Geometry::matches(const Geometry& other, double tolerance) const {
    if (size_ != other.size_)
        return false;
    const auto close = [&](Vec3 a, Vec3 b) { return length(a - b) <= tolerance; };
    const double direction =
        (toEigen(direction_) - toEigen(other.direction_)).cwiseAbs().maxCoeff();
    return close(spacing_, other.spacing_) && close(origin_, other.origin_) &&
           direction <= tolerance;
}

} // namespace systole
