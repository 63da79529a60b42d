#include "io/phantom/motion.h"

#include "compute/core/error.h"
#include "io/phantom/sliding.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr double fadeMillimeters = 18;
constexpr double undone = 1e-6; ///< max error of an inverse, mm

Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

} // namespace

PhantomMotion::PhantomMotion(const HeartShape& shape, double contraction, double motionScale,
                             bool sliding)
    : shape_(shape)
    , activity_(shape)
    , shortening_(shape.shortening * contraction * motionScale)
    , radialShortening_(shape.radialShortening * contraction * motionScale)
    , twist_(contraction * motionScale * shape.twistDegrees * std::numbers::pi / 180)
    , sliding_(sliding) {}

/// Squared radius of the cavity at height z. Below its apex it tends smoothly to zero, so that c(z)
/// and with it the motion has no kink there.
double PhantomMotion::cavityRadiusSquared(double z) const {
    const double a = shape_.endocardialRadius, h = shape_.endocardialHalfLength;
    constexpr double roundness = 0.02;
    const double x = 1 - z * z / (h * h);
    return a * a * 0.5 * (x + std::sqrt(x * x + roundness * roundness));
}

/// 1 in the wall and the cavity, falling with the distance from them.
double PhantomMotion::influence(double r, double z) const {
    const double level =
        std::hypot(r / shape_.epicardialRadius(), z / shape_.epicardialHalfLength());
    const double outside = std::max(0.0, level - 1) * shape_.epicardialRadius();
    const double above = std::max(0.0, z - shape_.baseHeight);
    return std::exp(-(outside * outside + above * above) / (2 * fadeMillimeters * fadeMillimeters));
}

PhantomMotion::Sheet PhantomMotion::sheet(double angle, double z, double share) const {
    const WallActivity::Value q = activity_.at(angle, z, share);
    const double apex = shape_.apexHeight(), length = shape_.baseHeight - apex;
    const double turn = twist_ * (shape_.baseHeight - z) / length;
    Sheet s;
    s.turn = turn * q.activity;
    s.z = apex + (1 - shortening_) * (z - apex) + shortening_ * q.rest;
    s.turnByAngle = turn * q.byAngle;
    s.turnByHeight = turn * q.byHeight - twist_ / length * q.activity;
    s.zByAngle = shortening_ * q.restByAngle;
    s.zByHeight = 1 - shortening_ * q.activity;
    s.endocardialScale = 1 - radialShortening_ * q.activity;
    return s;
}

PhantomMotion::Meridian PhantomMotion::shell(double angle, double r, double z) const {
    const double cavity = cavityRadiusSquared(z);
    const bool blood = r * r < cavity;
    // The infarct's sector fades in the blood towards the axis, where all angles meet.
    const double way = blood ? r / std::sqrt(cavity) : 1;
    const Sheet s = sheet(angle, z, way * way * (3 - 2 * way));
    if (blood)
        return {r * s.endocardialScale, s.z, s.turn};
    const double area = s.determinant();
    const double c = cavity * (1 / area - s.endocardialScale * s.endocardialScale);
    return {std::sqrt(std::max(0.0, r * r / area - c)), s.z, s.turn};
}

Vec3 PhantomMotion::forwardShell(Vec3 p) const {
    const double r = std::hypot(p.x, p.y);
    const Meridian m = shell(activity_.hasInfarct() ? std::atan2(p.y, p.x) : 0, r, p.z);
    const double scale = r > 1e-12 ? m.r / r : 1;
    const double c = std::cos(m.angle) * scale, s = std::sin(m.angle) * scale;
    return {c * p.x - s * p.y, s * p.x + c * p.y, m.z};
}

PhantomMotion::Inverse PhantomMotion::inverseShell(Vec3 q) const {
    const double rMoved = std::hypot(q.x, q.y);
    const double moved = activity_.hasInfarct() ? std::atan2(q.y, q.x) : 0;
    const double apex = shape_.apexHeight();
    double angle = moved, z = apex + (q.z - apex) / (1 - shortening_);
    Sheet s = sheet(angle, z, 1);
    double byTurn = 0, byHeight = 0;
    // Newton's method on the sheet; where nothing is infarcted the start is the solution.
    for (int iteration = 0; activity_.hasInfarct() && iteration < 50; ++iteration) {
        byTurn = angle + s.turn - moved;
        byHeight = s.z - q.z;
        if (std::abs(byTurn) < 1e-14 && std::abs(byHeight) < 1e-12)
            break;
        const double scale = 1 / s.determinant();
        angle -= scale * (s.zByHeight * byTurn - s.turnByHeight * byHeight);
        z -= scale * ((1 + s.turnByAngle) * byHeight - s.zByAngle * byTurn);
        s = sheet(angle, z, 1);
    }
    const double cavity = cavityRadiusSquared(z), area = s.determinant();
    double r = rMoved / s.endocardialScale;
    const bool blood = r * r < cavity;
    if (!blood) {
        const double c = cavity * (1 / area - s.endocardialScale * s.endocardialScale);
        r = std::sqrt(area * (rMoved * rMoved + c));
    }
    const double turn = -s.turn, scale = rMoved > 1e-12 ? r / rMoved : 1;
    const double cosine = std::cos(turn) * scale, sine = std::sin(turn) * scale;
    return {{cosine * q.x - sine * q.y, sine * q.x + cosine * q.y, z},
            !activity_.hasInfarct() ||
                (!blood && area > 0 && std::abs(byTurn) < 1e-9 && std::abs(byHeight) < 1e-9)};
}

Vec3 PhantomMotion::forward(Vec3 p) const {
    if (sliding_)
        return forwardSliding(p);
    return p + influence(std::hypot(p.x, p.y), p.z) * (forwardShell(p) - p);
}

Vec3 PhantomMotion::inverse(Vec3 q) const {
    if (sliding_)
        return inverseSliding(q);
    // The inverse has a closed form in the wall, and in a healthy heart's blood.
    const auto [p, exact] = inverseShell(q);
    const bool inside = influence(std::hypot(p.x, p.y), p.z) == 1;
    return inside && exact ? p : newton(inside ? p : q, q);
}

std::array<Vec3, 3> PhantomMotion::jacobian(Vec3 p) const {
    constexpr double step = 1e-4;
    std::array<Vec3, 3> columns;
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 ahead = p, behind = p;
        ahead[axis] += step;
        behind[axis] -= step;
        columns[static_cast<std::size_t>(axis)] = (0.5 / step) * (forward(ahead) - forward(behind));
    }
    return columns;
}

bool PhantomMotion::invertible() const {
    constexpr int heights = 24, radii = 12;
    const int angles = activity_.hasInfarct() ? 16 : 1;
    const double beyond = 2 * fadeMillimeters, apex = shape_.apexHeight();
    for (int k = 0; k < heights; ++k) {
        const auto heightOf = [&](double low, double high) {
            return low + (high - low) * (k + 0.5) / heights;
        };
        if (sliding_) { // the inverse is exact below this shift, as no infarct can slide
            const double z = heightOf(apex, shape_.epicardialHalfLength());
            if (std::abs(movedSlidingRadius(z) - slidingRadius(z)) >= largestShift)
                return false;
            continue;
        }
        const double z = heightOf(apex - beyond, shape_.baseHeight + beyond);
        for (int j = 0; j < radii; ++j)
            for (int i = 0; i < angles; ++i) {
                const double r = (shape_.epicardialRadius() + beyond) * (j + 0.5) / radii,
                             angle = 2 * std::numbers::pi * i / angles;
                const auto [x, y, height] = jacobian({r * std::cos(angle), r * std::sin(angle), z});
                if (!(dot(x, cross(y, height)) > 0))
                    return false;
            }
    }
    return true;
}

/// Newton's method on the forward map.
Vec3 PhantomMotion::newton(Vec3 p, Vec3 q) const {
    Vec3 residual{};
    for (int iteration = 0; iteration < 30; ++iteration) {
        residual = forward(p) - q;
        if (length(residual) < 1e-9)
            break;
        const std::array<Vec3, 3> column = jacobian(p);
        const double determinant = dot(column[0], cross(column[1], column[2]));
        const Vec3 update = (1 / determinant) * Vec3{dot(residual, cross(column[1], column[2])),
                                                     dot(residual, cross(column[2], column[0])),
                                                     dot(residual, cross(column[0], column[1]))};
        const double size = length(update);
        p = p - std::min(1.0, 5.0 / std::max(size, 1e-12)) * update;
    }
    if (!(length(residual) < undone))
        throw ComputeError("the phantom's motion can't be undone: it is too large");
    return p;
}

double PhantomMotion::slidingRadius(double z) const {
    if (z <= shape_.apexHeight())
        return 0;
    const double height = std::min(z, shape_.baseHeight) / shape_.epicardialHalfLength();
    return shape_.epicardialRadius() * std::sqrt(1 - height * height);
}

double PhantomMotion::movedSlidingRadius(double z) const {
    const double apex = shape_.apexHeight();
    if (z <= apex)
        return 0;
    const double before = apex + (z - apex) / (1 - shortening_);
    return shell(0, slidingRadius(before), before).r;
}

Vec3 PhantomMotion::forwardSliding(Vec3 p) const {
    const double r = std::hypot(p.x, p.y), surface = slidingRadius(p.z);
    if (p.z > shape_.apexHeight() && r <= surface)
        return forwardShell(p);
    const double scale = r > 1e-12 ? pushedRadius(r, surface, movedSlidingRadius(p.z)) / r : 1;
    return {scale * p.x, scale * p.y, p.z};
}

Vec3 PhantomMotion::inverseSliding(Vec3 q) const {
    const double r = std::hypot(q.x, q.y), surface = movedSlidingRadius(q.z);
    if (q.z > shape_.apexHeight() && r <= surface)
        return inverseShell(q).p;
    const double scale = r > 1e-12 ? pulledRadius(r, slidingRadius(q.z), surface) / r : 1;
    return {scale * q.x, scale * q.y, q.z};
}

} // namespace systole
