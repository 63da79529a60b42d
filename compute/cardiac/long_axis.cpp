#include "compute/cardiac/long_axis.h"

#include "compute/core/error.h"
#include "compute/core/points.h"

#include <cmath>
#include <numbers>

namespace systole::cardiac {

constexpr double degree = std::numbers::pi / 180;

LongAxis::LongAxis(Vec3 apex, Vec3 mitral, Vec3 insertion)
    : apex_(apex), length_(systole::length(mitral - apex)) {
    if (!(length_ >= 1))
        throw ComputeError("the apex and the middle of the mitral ring are the same point: the "
                           "left ventricle has no long axis");
    unit_ = (1 / length_) * (mitral - apex);
    const Vec3 across = insertion - apex - dot(insertion - apex, unit_) * unit_;
    const double distance = systole::length(across);
    if (!(distance > 1e-6 * length_))
        throw ComputeError("the insertion of the right ventricle lies on the long axis: it sets "
                           "no angle");
    zero_ = (1 / distance) * across;
    quarter_ = cross(zero_, unit_); // right-handed about the direction from base to apex
}

double LongAxis::angle(Vec3 p) const {
    const Vec3 d = p - apex_;
    const double degrees = std::atan2(dot(d, quarter_), dot(d, zero_)) / degree;
    return degrees < 0 ? degrees + 360 : degrees;
}

Vec3 LongAxis::outwards(double angleDegrees) const {
    return std::cos(angleDegrees * degree) * zero_ + std::sin(angleDegrees * degree) * quarter_;
}

} // namespace systole::cardiac
