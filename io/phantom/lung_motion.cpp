#include "io/phantom/lung_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr double flatter = 0.03, narrower = 0.02;
/// Parts of the whole motion in the middle of a lung, and how it grows towards the back.
constexpr double middleLift = 0.8, backLift = 0.2;

/// −1 to 1 over the columns of a lung, in waves of 80 and 100 mm.
double unevenAt(Vec3 p) {
    constexpr double turn = 2 * std::numbers::pi;
    return std::sin(turn * p.x / 80 + 1) * std::cos(turn * p.y / 100);
}

/// 0 to 1 between two heights, twice continuously differentiable.
double step(double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * t * (t * (6 * t - 15) + 10);
}
double stepSlope(double t) {
    t = std::clamp(t, 0.0, 1.0);
    return 30 * t * t * (1 - t) * (1 - t);
}
/// The largest slope of step().
constexpr double steepest = 1.875;

} // namespace

LungShape::LungShape(Vec3 extents)
    : bodyX(std::min(0.47 * extents.x, 175.0))
    , bodyY(std::min(0.45 * extents.y, 120.0))
    , lungX(0.36 * bodyX)
    , lungY(0.62 * bodyY)
    , lungCenterX(0.47 * bodyX)
    , top(0.42 * extents.z)
    , shoulder(0.32 * extents.z)
    , dome(-0.18 * extents.z)
    , rim(-0.34 * extents.z)
    , strongest(-0.24 * extents.z)
    , bottom(-0.8 * extents.z)
    , chestHeight(0.4 * extents.z) {}

double LungShape::largestBreath() const {
    // Half of what would fold.
    return 0.5 * std::min(shoulder - strongest, strongest - bottom) / steepest;
}

double LungShape::wallDistance(Vec3 p) const {
    return std::hypot((std::abs(p.x) - lungCenterX) / lungX, p.y / lungY);
}

bool LungShape::inLung(Vec3 p) const {
    const double r = wallDistance(p);
    if (r >= 1)
        return false;
    const double roof = shoulder + (top - shoulder) * (1 - r * r);
    const double floor = rim + (dome - rim) * (1 - r * r);
    return p.z < roof && p.z > floor;
}

LungMotion::LungMotion(const LungShape& shape, double breathMillimeters, double exhalation,
                       double unevenness)
    : shape_(shape), breath_(breathMillimeters), exhalation_(exhalation), unevenness_(unevenness) {}

LungMotion::Lift LungMotion::liftAt(Vec3 p) const {
    const bool above = p.z > shape_.strongest;
    const double span =
        above ? shape_.strongest - shape_.shoulder : shape_.strongest - shape_.bottom;
    const double t = (p.z - (above ? shape_.shoulder : shape_.bottom)) / span;
    const double part = (middleLift + backLift * p.y / shape_.lungY + unevenness_ * unevenAt(p)) /
                        (1 + unevenness_);
    const double amplitude = exhalation_ * breath_ * part;
    return {amplitude * step(t), amplitude * stepSlope(t) / span};
}

double LungMotion::flattening(double z) const {
    const double height = z / shape_.chestHeight;
    return exhalation_ * std::exp(-height * height);
}

Vec3 LungMotion::forward(Vec3 p) const {
    if (shape_.wallDistance(p) < 1)
        p.z += liftAt(p).value;
    const double k = flattening(p.z);
    return {p.x * (1 - narrower * k), shape_.bodyY + (p.y - shape_.bodyY) * (1 - flatter * k), p.z};
}

Vec3 LungMotion::inverse(Vec3 q) const {
    const double k = flattening(q.z);
    Vec3 p{q.x / (1 - narrower * k), shape_.bodyY + (q.y - shape_.bodyY) / (1 - flatter * k), q.z};
    if (exhalation_ == 0 || shape_.wallDistance(p) >= 1)
        return p;
    // The lift lies between 0 and the whole breath, and the height grows with z: Newton's steps,
    // and half of the interval where they leave it.
    double low = q.z - exhalation_ * breath_, high = q.z;
    double z = q.z - liftAt(p).value;
    for (int iteration = 0; iteration < 100; ++iteration) {
        const Lift lift = liftAt({p.x, p.y, z});
        const double miss = z + lift.value - q.z;
        (miss < 0 ? low : high) = z;
        double next = z - miss / (1 + lift.slope);
        if (!(next >= low && next <= high))
            next = 0.5 * (low + high);
        const double moved = std::abs(next - z);
        z = next;
        if (moved < 1e-12)
            break;
    }
    p.z = z;
    return p;
}

double LungMotion::determinant(Vec3 p) const {
    const bool slides = shape_.wallDistance(p) < 1;
    const Lift lift = slides ? liftAt(p) : Lift{0, 0};
    const double k = flattening(p.z + lift.value);
    return (1 + lift.slope) * (1 - narrower * k) * (1 - flatter * k);
}

} // namespace systole
