#include "io/phantom/infarct.h"

#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double capAboveCavityApex = 12, capHalfWidth = 8, topHalfWidth = 10; // mm

/// A step up from 0 to 1 around `middle`, its derivative and its integral from below.
struct Step {
    double value, slope, sum;
};
Step stepUp(double z, double middle, double halfWidth) {
    const double x = (z - middle + halfWidth) / (2 * halfWidth);
    if (x <= 0)
        return {0, 0, 0};
    if (x >= 1)
        return {1, 0, z - middle};
    return {0.5 * (1 - std::cos(pi * x)), 0.25 * pi / halfWidth * std::sin(pi * x),
            halfWidth * (x - std::sin(pi * x) / pi)};
}

} // namespace

WallActivity::WallActivity(const HeartShape& shape)
    : hasInfarct_(shape.infarctDegrees > 0)
    , apex_(shape.apexHeight())
    , cap_(-shape.endocardialHalfLength + capAboveCavityApex)
    , top_(-0.25 * shape.endocardialHalfLength)
    , middle_(shape.infarctAngleDegrees * pi / 180)
    , half_(shape.infarctDegrees / 2 * pi / 180)
    , border_(borderDegrees * pi / 180) {}

WallActivity::Value WallActivity::at(double angle, double z, double share) const {
    if (!hasInfarct_)
        return {};
    const double from = std::remainder(angle - middle_, 2 * pi);
    const Step away = stepUp(std::abs(from), half_ + border_ / 2, border_ / 2);
    const double sector = share * (1 - away.value);
    const double sectorByAngle = -share * std::copysign(away.slope, from);
    const Step u = stepUp(z, cap_, capHalfWidth), v = stepUp(z, top_, topHalfWidth);
    return {u.value - sector * (u.value - v.value), -sectorByAngle * (u.value - v.value),
            u.slope - sector * (u.slope - v.slope), z - apex_ - (u.sum - sector * (u.sum - v.sum)),
            sectorByAngle * (u.sum - v.sum)};
}

} // namespace systole
