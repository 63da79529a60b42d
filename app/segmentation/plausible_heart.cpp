#include "app/segmentation/plausible_heart.h"

#include <fmt/format.h>

namespace systole {
namespace {

constexpr double muscleDensity = 1.05; // g/ml
/// Of the wall's volume over the chamber's: from a thin dilated ventricle to a thick one at end
/// systole.
constexpr double leastRatio = 0.25, mostRatio = 5;
constexpr double leastConvexShare = 0.88;

} // namespace

double gramsOfMuscle(double milliliters) { return muscleDensity * milliliters; }

std::string implausible(double chamber, double wall) {
    const double ratio = chamber > 0 ? wall / chamber : 0;
    if (ratio >= leastRatio && ratio <= mostRatio)
        return {};
    return fmt::format(
        "a wall of {:.1f} ml around a chamber of {:.1f} ml is {:.2g} times as large, "
        "but {:.2g} to {:.2g} times are usual; look at both, or name three points",
        wall, chamber, ratio, leastRatio, mostRatio);
}

std::string leaked(double convexShare) {
    if (convexShare >= leastConvexShare)
        return {};
    return fmt::format("the chamber fills {:.0f} % of its convex hull, a left ventricle more than "
                       "{:.0f} %: the contour may have run through a valve or a gap of the wall; "
                       "three points (apex, mitral ring, right ventricle) end it at the ring",
                       100 * convexShare, 100 * leastConvexShare);
}

} // namespace systole
