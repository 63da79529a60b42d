#include "io/phantom/lung_motion.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr double flatter = 0.03, narrower = 0.02;
/// Parts of the whole motion in the middle of a lung, and how it grows towards the back.
constexpr double middleLift = 0.8, backLift = 0.2;

/// 0 to 1 between two heights, twice continuously differentiable.
double step(double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * t * (t * (6 * t - 15) + 10);
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

LungMotion::LungMotion(const LungShape& shape, double breathMillimeters, double exhalation)
    : shape_(shape), breath_(breathMillimeters), exhalation_(exhalation) {}

double LungMotion::liftAt(Vec3 p) const {
    const double h = p.z > shape_.strongest
                         ? step((shape_.shoulder - p.z) / (shape_.shoulder - shape_.strongest))
                         : step((p.z - shape_.bottom) / (shape_.strongest - shape_.bottom));
    return exhalation_ * breath_ * (middleLift + backLift * p.y / shape_.lungY) * h;
}

double LungMotion::flattening(double z) const {
    const double height = z / shape_.chestHeight;
    return exhalation_ * std::exp(-height * height);
}

Vec3 LungMotion::forward(Vec3 p) const {
    if (shape_.wallDistance(p) < 1)
        p.z += liftAt(p);
    const double k = flattening(p.z);
    return {p.x * (1 - narrower * k), shape_.bodyY + (p.y - shape_.bodyY) * (1 - flatter * k), p.z};
}

Vec3 LungMotion::inverse(Vec3 q) const {
    const double k = flattening(q.z);
    Vec3 p{q.x / (1 - narrower * k), shape_.bodyY + (q.y - shape_.bodyY) / (1 - flatter * k), q.z};
    if (exhalation_ == 0 || shape_.wallDistance(p) >= 1)
        return p;
    // The lift is between 0 and the whole breath, and the height grows with z: halving intervals
    // after the secant's steps is sure to end.
    double low = q.z - exhalation_ * breath_, high = q.z;
    for (int iteration = 0; iteration < 100 && high - low > 1e-11; ++iteration) {
        const auto missAt = [&](double z) { return z + liftAt({p.x, p.y, z}) - q.z; };
        const double a = missAt(low), b = missAt(high);
        double z = b > a ? low - a * (high - low) / (b - a) : 0.5 * (low + high);
        if (iteration % 2 == 1 || !(z > low && z < high))
            z = 0.5 * (low + high);
        const double miss = missAt(z);
        if (miss == 0)
            low = high = z;
        else
            (miss < 0 ? low : high) = z;
    }
    p.z = 0.5 * (low + high);
    return p;
}

} // namespace systole
