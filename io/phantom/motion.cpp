#include "io/phantom/motion.h"

#include "io/phantom/sliding.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr double fadeMillimeters = 18;
constexpr double apexHeight = -PhantomMotion::epicardialHalfLength;

/// Squared radius of the cavity at height z. Below its apex it tends smoothly to zero, so that c(z)
/// and with it the motion has no kink there.
double cavityRadiusSquared(double z) {
    constexpr double a = PhantomMotion::endocardialRadius, h = PhantomMotion::endocardialHalfLength;
    constexpr double roundness = 0.02;
    const double x = 1 - z * z / (h * h);
    return a * a * 0.5 * (x + std::sqrt(x * x + roundness * roundness));
}

/// 1 in the wall and the cavity, falling with the distance from them.
double influence(double r, double z) {
    const double level =
        std::hypot(r / PhantomMotion::epicardialRadius, z / PhantomMotion::epicardialHalfLength);
    const double outside = std::max(0.0, level - 1) * PhantomMotion::epicardialRadius;
    const double above = std::max(0.0, z - PhantomMotion::baseHeight);
    return std::exp(-(outside * outside + above * above) / (2 * fadeMillimeters * fadeMillimeters));
}

} // namespace

PhantomMotion::PhantomMotion(double contraction, double motionScale, bool sliding)
    : longitudinalScale_(1 - 0.13 * contraction * motionScale)
    , endocardialScale_(1 - 0.20 * contraction * motionScale)
    , twist_(contraction * motionScale * 10 * std::numbers::pi / 180)
    , sliding_(sliding) {}

PhantomMotion::Meridian PhantomMotion::shell(double r, double z) const {
    const double cavity = cavityRadiusSquared(z);
    Meridian m;
    m.z = apexHeight + longitudinalScale_ * (z - apexHeight);
    m.angle = twist_ * (baseHeight - z) / (baseHeight - apexHeight);
    if (r * r < cavity) {
        m.r = r * endocardialScale_;
    } else {
        const double c = cavity * (1 / longitudinalScale_ - endocardialScale_ * endocardialScale_);
        m.r = std::sqrt(std::max(0.0, r * r / longitudinalScale_ - c));
    }
    return m;
}

Vec3 PhantomMotion::forwardShell(Vec3 p) const {
    const double r = std::hypot(p.x, p.y);
    const Meridian m = shell(r, p.z);
    const double scale = r > 1e-12 ? m.r / r : endocardialScale_;
    const double c = std::cos(m.angle) * scale, s = std::sin(m.angle) * scale;
    return {c * p.x - s * p.y, s * p.x + c * p.y, m.z};
}

Vec3 PhantomMotion::inverseShell(Vec3 q) const {
    const double rMoved = std::hypot(q.x, q.y);
    const double z = apexHeight + (q.z - apexHeight) / longitudinalScale_;
    const double cavity = cavityRadiusSquared(z);
    double r = rMoved / endocardialScale_;
    if (r * r >= cavity) {
        const double c = cavity * (1 / longitudinalScale_ - endocardialScale_ * endocardialScale_);
        r = std::sqrt(longitudinalScale_ * (rMoved * rMoved + c));
    }
    const double angle = -twist_ * (baseHeight - z) / (baseHeight - apexHeight);
    const double scale = rMoved > 1e-12 ? r / rMoved : 1 / endocardialScale_;
    const double cosine = std::cos(angle) * scale, sine = std::sin(angle) * scale;
    return {cosine * q.x - sine * q.y, sine * q.x + cosine * q.y, z};
}

Vec3 PhantomMotion::forward(Vec3 p) const {
    if (sliding_)
        return forwardSliding(p);
    return p + influence(std::hypot(p.x, p.y), p.z) * (forwardShell(p) - p);
}

Vec3 PhantomMotion::inverse(Vec3 q) const {
    if (sliding_)
        return inverseSliding(q);
    // Inside the shell the inverse has a closed form.
    Vec3 p = inverseShell(q);
    if (influence(std::hypot(p.x, p.y), p.z) == 1)
        return p;
    // Outside it is found by Newton's method on the forward map, its Jacobian by central
    // differences.
    p = q;
    for (int iteration = 0; iteration < 30; ++iteration) {
        const Vec3 residual = forward(p) - q;
        if (length(residual) < 1e-9)
            break;
        constexpr double step = 1e-4;
        Vec3 column[3];
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 ahead = p, behind = p;
            ahead[axis] += step;
            behind[axis] -= step;
            column[axis] = (0.5 / step) * (forward(ahead) - forward(behind));
        }
        const auto cross = [](Vec3 a, Vec3 b) {
            return Vec3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
        };
        const double determinant = dot(column[0], cross(column[1], column[2]));
        const Vec3 update = (1 / determinant) * Vec3{dot(residual, cross(column[1], column[2])),
                                                     dot(residual, cross(column[2], column[0])),
                                                     dot(residual, cross(column[0], column[1]))};
        const double size = length(update);
        p = p - std::min(1.0, 5.0 / std::max(size, 1e-12)) * update;
    }
    return p;
}

double PhantomMotion::slidingRadius(double z) {
    if (z <= apexHeight)
        return 0;
    const double height = std::min(z, baseHeight) / epicardialHalfLength;
    return epicardialRadius * std::sqrt(1 - height * height);
}

double PhantomMotion::movedSlidingRadius(double z) const {
    if (z <= apexHeight)
        return 0;
    const double before = apexHeight + (z - apexHeight) / longitudinalScale_;
    return shell(slidingRadius(before), before).r;
}

Vec3 PhantomMotion::forwardSliding(Vec3 p) const {
    const double r = std::hypot(p.x, p.y), surface = slidingRadius(p.z);
    if (p.z > apexHeight && r <= surface)
        return forwardShell(p);
    const double scale = r > 1e-12 ? pushedRadius(r, surface, movedSlidingRadius(p.z)) / r : 1;
    return {scale * p.x, scale * p.y, p.z};
}

Vec3 PhantomMotion::inverseSliding(Vec3 q) const {
    const double r = std::hypot(q.x, q.y), surface = movedSlidingRadius(q.z);
    if (q.z > apexHeight && r <= surface)
        return inverseShell(q);
    const double scale = r > 1e-12 ? pulledRadius(r, slidingRadius(q.z), surface) / r : 1;
    return {scale * q.x, scale * q.y, q.z};
}

PhantomTissue PhantomMotion::tissue(Vec3 p) {
    const double r = std::hypot(p.x, p.y);
    if (p.z > baseHeight || std::hypot(r / epicardialRadius, p.z / epicardialHalfLength) > 1)
        return PhantomTissue::Surroundings;
    if (std::hypot(r / endocardialRadius, p.z / endocardialHalfLength) < 1)
        return PhantomTissue::Blood;
    return PhantomTissue::Wall;
}

} // namespace systole
