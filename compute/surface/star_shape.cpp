#include "compute/surface/star_shape.h"

#include "compute/core/points.h"
#include "compute/surface/segment_parts.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// Standard deviations of the coefficients, shares of the radius: of the first kind, and of those
/// that turn once, twice, and change halfway.
constexpr double usualSpread = 0.18;
constexpr double ballSpread = 0.3, ballMoves = 0.2;
/// Deviation of a radius from the shape at which it counts half, as a share of the radius.
constexpr double scatter = 0.15;

/// Distance at which a ray of the unit vector `d` from `at` leaves the ellipsoid about the ring.
double exitOf(Vec3 at, Vec3 d, Vec3 up, double high, double wide) {
    // |p + r d| = 1 in coordinates in which the ellipsoid is the unit sphere.
    const double pu = dot(at, up) / high, du = dot(d, up) / high;
    const Vec3 ps = (1 / wide) * (at - dot(at, up) * up), ds = (1 / wide) * (d - dot(d, up) * up);
    const double a = du * du + dot(ds, ds), b = pu * du + dot(ps, ds),
                 c = pu * pu + dot(ps, ps) - 1;
    return (-b + std::sqrt(std::max(b * b - a * c, 0.0))) / a;
}

} // namespace

StarShape StarShape::aroundBall(double radius) {
    StarShape shape;
    shape.spread_ = {ballSpread, ballMoves,  ballMoves,  ballMoves, ballSpread,
                     ballSpread, ballSpread, ballSpread, ballSpread};
    const double third = 1 / std::sqrt(3.0);
    for (const Vec3 d : StarDirections::standard().unit) {
        shape.base_.push_back(radius);
        for (const double f :
             {1.0, d.x, d.y, d.z, 2 * d.x * d.y, 2 * d.y * d.z, 2 * d.z * d.x,
              d.x * d.x - d.y * d.y, (2 * d.z * d.z - d.x * d.x - d.y * d.y) * third})
            shape.functions_.push_back(f);
    }
    shape.radii_ = shape.base_;
    return shape;
}

StarShape StarShape::ofVentricle(const VentriclePoints& points, double wide, Vec3 center) {
    const MitralPlane cut = mitralPlane(points);
    const double high = length(points.mitral - points.apex);
    const Vec3 aside = points.rightVentricle - points.apex,
               across = aside - dot(aside, cut.up) * cut.up, first = (1 / length(across)) * across,
               second = cross(cut.up, first);
    StarShape shape;
    for (const double part : {1.0, 1.0, 1.0, 0.7, 0.7, 0.7, 0.5, 0.5, 0.5, 0.5})
        shape.spread_.push_back(part * usualSpread);
    for (const Vec3 d : StarDirections::standard().unit) {
        const double r = exitOf(center - points.mitral, d, cut.up, high, wide);
        shape.base_.push_back(r);
        // The shape below the plane of the ring.
        const double up = dot(d, cut.up), toRing = -cut.height(center);
        const double depth =
            std::clamp((toRing - up * std::min(r, up > 0 ? toRing / up : r)) / high, 0.0, 1.0);
        const double x = dot(d, first), y = dot(d, second);
        for (const double part : {1 - depth, 4 * depth * (1 - depth)})
            for (const double turn : {1.0, x, y, x * x - y * y, 2 * x * y})
                shape.functions_.push_back(part * turn);
    }
    shape.radii_ = shape.base_;
    return shape;
}

void StarShape::fit(const std::vector<double>& found, const std::vector<bool>& counts) {
    const auto count = static_cast<Eigen::Index>(spread_.size());
    constexpr int rounds = 5;
    Eigen::VectorXd c = Eigen::VectorXd::Zero(count);
    const auto rowOf = [&](std::size_t i) {
        return Eigen::Map<const Eigen::VectorXd>(&functions_[i * spread_.size()], count);
    };
    for (int round = 0; round < rounds; ++round) {
        Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(count, count);
        Eigen::VectorXd right = Eigen::VectorXd::Zero(count);
        for (Eigen::Index k = 0; k < count; ++k)
            matrix(k, k) = std::pow(spread_[static_cast<std::size_t>(k)], -2);
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (!counts[i])
                continue;
            const auto row = rowOf(i);
            const double wanted = found[i] / base_[i] - 1, off = (wanted - row.dot(c)) / scatter;
            const double weight = round == 0 ? 1 : 1 / (1 + off * off);
            matrix += weight * row * row.transpose();
            right += weight * wanted * row;
        }
        c = matrix.ldlt().solve(right);
    }
    constexpr double minFactor = 0.3;
    for (std::size_t i = 0; i < radii_.size(); ++i)
        radii_[i] = base_[i] * std::max(minFactor, 1 + rowOf(i).dot(c));
}

} // namespace systole
