#include "app/anatomy/plausible_heart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

namespace systole {
namespace {

constexpr double muscleDensity = 1.05; // g/ml
/// Volume of the wall over that of the chamber: from a thin dilated ventricle to a thick one at end
/// systole.
constexpr double minRatio = 0.25, maxRatio = 5;
/// Mean thickness, mm; the thickest walls at end systole have more, but not all around.
constexpr double thickestWall = 22;
/// Volumes, ml, of the largest dilated ventricles and of a child's.
constexpr double largestChamber = 400, smallChamber = 15;
constexpr double minConvexShare = 0.88;
constexpr double maxChange = 0.15; ///< relative change of a wall's volume over the frames
/// Fraction of the stroke above the smallest volume from which a frame is near end diastole.
constexpr double nearDiastole = 0.75;

/// Radius, mm, of a ball of that volume.
double radiusOf(double milliliters) {
    return 10 * std::cbrt(3 * milliliters / (4 * std::numbers::pi));
}

} // namespace

double gramsOfMuscle(double milliliters) { return muscleDensity * milliliters; }

std::string implausible(double chamber, double wall) {
    const double ratio = chamber > 0 ? wall / chamber : 0;
    if (wall > 0 && (ratio < minRatio || ratio > maxRatio))
        return fmt::format(
            "a wall of {:.1f} ml around a chamber of {:.1f} ml is {:.2g} times as large, "
            "but {:.2g} to {:.2g} times are usual; look at both, or name three points",
            wall, chamber, ratio, minRatio, maxRatio);
    if (chamber > largestChamber)
        return fmt::format("a chamber of {:.0f} ml is larger than any ventricle, {:.0f} ml; look "
                           "where its contour has left it, or name three points",
                           chamber, largestChamber);
    if (const double thickness = radiusOf(chamber + wall) - radiusOf(chamber);
        thickness > thickestWall)
        return fmt::format("a wall of {:.1f} ml around a chamber of {:.1f} ml is about {:.0f} mm "
                           "thick, but less than {:.0f} mm are usual; look at its outer border",
                           wall, chamber, thickness, thickestWall);
    return {};
}

std::string doubtOf(const ClickedChamber& chamber) {
    if (chamber.milliliters < smallChamber)
        return fmt::format("a chamber of {:.1f} ml is that of a child or a fetus; if the heart is "
                           "a grown one, the click may lie in its wall: click in the middle of the "
                           "chamber, or say that the click is in the wall",
                           chamber.milliliters);
    if (chamber.isHeld)
        return "the contour ran through a gap of the wall, and is held near an ellipsoid instead, "
               "which knows nothing of the mitral ring; three points (apex, mitral ring, right "
               "ventricle) find more of the border";
    if (chamber.convexShare < minConvexShare)
        return fmt::format(
            "the chamber has dents or outgrowths: it fills {:.0f} % of a smooth shape around it, "
            "a left ventricle more than {:.0f} %; the contour may have run through a valve or a "
            "gap of the wall; "
            "three points (apex, mitral ring, right ventricle) end it at the ring",
            100 * chamber.convexShare, 100 * minConvexShare);
    return {};
}

std::string unsteadyWall(std::span<const VolumeInFrame> walls) {
    std::vector<VolumeInFrame> there;
    std::ranges::copy_if(walls, std::back_inserter(there),
                         [](const VolumeInFrame& wall) { return wall.milliliters > 0; });
    if (there.empty())
        return {};
    const auto [smallest, largest] =
        std::ranges::minmax_element(there, {}, &VolumeInFrame::milliliters);
    const double change = largest->milliliters / smallest->milliliters - 1;
    if (change <= maxChange)
        return {};
    return fmt::format("the wall has {:.1f} ml in frame {} and {:.1f} ml in frame {}, {:.0f} % "
                       "more, but muscle can't be compressed: a border is wrong, or a part of the "
                       "wall leaves the image",
                       smallest->milliliters, smallest->frame, largest->milliliters, largest->frame,
                       100 * change);
}

std::string farFromDiastole(std::span<const VolumeInFrame> chambers, int origin) {
    const auto at = std::ranges::find(chambers, origin, &VolumeInFrame::frame);
    if (at == chambers.end())
        return {};
    const auto [smallest, largest] =
        std::ranges::minmax_element(chambers, {}, &VolumeInFrame::milliliters);
    const double filled = at->milliliters - smallest->milliliters,
                 stroke = largest->milliliters - smallest->milliliters;
    if (filled >= nearDiastole * stroke)
        return {};
    return fmt::format("All frames were found from frame {}, where the chamber has {:.1f} ml, "
                       "against {:.1f} ml in frame {}. Found from a smaller chamber the ejection "
                       "fraction comes out lower: go to end diastole, near frame {}, and find all "
                       "frames from there.",
                       origin, at->milliliters, largest->milliliters, largest->frame,
                       largest->frame);
}

} // namespace systole
