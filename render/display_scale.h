// The scale of colors and arrows. The automatic one follows from the sequence alone: playing other
// frames or changing a parameter leaves it as it is, so that pictures can be compared.
#pragma once

#include "compute/core/geometry.h"
#include "render/display_options.h"

#include <algorithm>

namespace systole {

/// Shorter motion is drawn as rest; in voxels of the smallest spacing.
inline constexpr double restVoxels = 0.05;
/// Smaller differences come from rounding and are drawn as none; in voxels as above.
inline constexpr double roundingVoxels = 0.01;

/// restVoxels and roundingVoxels in mm.
double restMillimeters(const Geometry& grid);
double roundingMillimeters(const Geometry& grid);

struct DisplayScale {
    double motion = 1;       ///< mm at the upper end of the colors of the motion
    double rest = 0;         ///< mm; shorter motion is drawn as rest
    double arrows = 1;       ///< drawn mm per mm of motion
    double difference = 0.2; ///< mm at the upper end of the colors of a difference
    double rounding = 0;     ///< mm; smaller differences are drawn as none
    /// Drawn mm per mm of the deformation of a grid: never less than there is.
    double grid() const { return std::max(1.0, arrows); }
    bool operator==(const DisplayScale&) const = default;
};

/// `motionRange`: the largest motion of the sequence in mm (compute/motion/motion_range.h); 0:
/// unknown. An arrow at the upper end of the colors is as long as a twelfth of the volume, at most.
DisplayScale automaticScale(double motionRange, const Geometry& grid);

/// The scale with the numbers that the user gave. `shownDifference`: mm that nearly all of the
/// shown difference stays below, the end of its scale when rounding differences are requested.
DisplayScale scaleFor(const DisplayOptions& display, DisplayScale automatic,
                      double shownDifference);

/// The smallest 1, 1.5, 2, 3, 4, 5, 6, 8, 10 × 10^k that is not below `value`, within single
/// precision. 0 for a value that isn't positive.
double roundUp(double value);
/// The largest of the same numbers that is not above `value`.
double roundDown(double value);

} // namespace systole
