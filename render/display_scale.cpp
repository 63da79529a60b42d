#include "render/display_scale.h"

#include "render/view_plane.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// The part of the colors that what is at rest fills at most.
constexpr double largestRestPart = 0.2;
constexpr double differencePart = 0.2;    ///< end of the difference's colors, of the motion's
constexpr double longestArrow = 1 / 12.0; ///< fraction of the volume's longest side
constexpr double unknownRangeVoxels = 2;  ///< a motion that is neither tiny nor huge

constexpr double roundSteps[] = {1, 1.5, 2, 3, 4, 5, 6, 8};

double decadeOf(double value) { return std::pow(10, std::floor(std::log10(value))); }

bool isPositive(double value) { return value > 0 && std::isfinite(value); }

} // namespace

double restMillimeters(const Geometry& grid) { return restVoxels * smallestSpacing(grid); }
double roundingMillimeters(const Geometry& grid) { return roundingVoxels * smallestSpacing(grid); }

DisplayScale automaticScale(double motionRange, const Geometry& grid) {
    double longest = 0;
    for (int axis = 0; axis < 3; ++axis)
        longest = std::max(longest, grid.size()[axis] * grid.spacing()[axis]);
    if (!isPositive(motionRange))
        motionRange = unknownRangeVoxels * smallestSpacing(grid);
    DisplayScale scale;
    scale.rest = restMillimeters(grid);
    // The scale has a minimum, so that noise isn't magnified to the whole scale if nothing moves.
    scale.motion = roundUp(std::max(motionRange, scale.rest / largestRestPart));
    scale.arrows = roundDown(longestArrow * longest / scale.motion);
    scale.rounding = roundingMillimeters(grid);
    scale.difference = roundUp(std::max(differencePart * scale.motion, 2 * scale.rounding));
    return scale;
}

DisplayScale scaleFor(const DisplayOptions& display, DisplayScale scale, double shownDifference) {
    if (display.colorMaximum > 0)
        scale.motion = display.colorMaximum;
    // Small motion for which the user chose a scale of its own is seen.
    scale.rest = std::min(scale.rest, largestRestPart * scale.motion);
    if (display.roundingDifferences) {
        scale.rounding = 0;
        if (isPositive(shownDifference))
            scale.difference = roundUp(shownDifference);
    }
    if (display.differenceMaximum > 0)
        scale.difference = display.differenceMaximum;
    return scale;
}

double roundUp(double value) {
    if (!isPositive(value))
        return 0;
    const double decade = decadeOf(value);
    for (const double step : roundSteps)
        if (value <= step * decade * (1 + 1e-6))
            return step * decade;
    return 10 * decade;
}

double roundDown(double value) {
    if (!isPositive(value))
        return 0;
    const double decade = decadeOf(value);
    double below = decade;
    for (const double step : roundSteps)
        if (value >= step * decade * (1 - 1e-6))
            below = step * decade;
    return value >= 10 * decade * (1 - 1e-6) ? 10 * decade : below;
}

} // namespace systole
