// Checks whether a segmentation can be a ventricle and its wall.
#pragma once

#include <span>
#include <string>

namespace systole {

/// The mass of muscle of that volume, at 1.05 g/ml.
double gramsOfMuscle(double milliliters);

/// One sentence with numbers if the volumes of a chamber and its wall, ml, are unlikely; empty:
/// they aren't. A wall of 0 wasn't looked for.
std::string implausible(double chamber, double wall);

/// A chamber found from one click: volume, and members of Segmentation.
struct ClickedChamber {
    double milliliters, convexShare;
    bool isHeld;
};
/// One sentence on a chamber that may be none, or has run out of it; empty: it may be a ventricle.
std::string doubtOf(const ClickedChamber& chamber);

/// The volume of a wall, or of a chamber, in a frame.
struct VolumeInFrame {
    int frame;
    double milliliters;
};
/// One sentence if the volumes, ml, differ by more than muscle can; empty: they don't. Frames
/// without a wall don't count.
std::string unsteadyWall(std::span<const VolumeInFrame> walls);

/// One sentence if the frame that all others were found from isn't near the largest volume:
/// from a smaller chamber the stroke comes out too small (docs/numerics/segmentation-sequence.md).
/// Empty: it is near.
std::string farFromDiastole(std::span<const VolumeInFrame> chambers, int origin);

} // namespace systole
