// Ejection fraction from the volumes of a cycle, with checks: does the cycle close, and do contours
// found in each frame agree with one carried by the motion?
#pragma once

#include "app/anatomy/live_surface.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace systole {

/// End-diastolic and end-systolic volume, the largest and the smallest.
struct Ejection {
    int largestFrame = 0, smallestFrame = 0;
    double largest = 0, smallest = 0; ///< ml
    double fraction = 0;              ///< (largest − smallest) / largest
};
/// Enclosed volumes by frame, ml; NaN: unknown, the surface is open, or it is from a label map
/// whose only frame stands for all.
std::vector<double> millilitersByFrame(const LiveSurfaces& frames);
/// Needs the closed surface of every frame, of at least two; none otherwise, and for a surface that
/// is the same in all of them.
std::optional<Ejection> ejectionOf(const LiveSurfaces& frames);
/// Overload for volumes, ml, of frames 0, 1, ...: none for fewer than two, or if one isn't
/// positive.
std::optional<Ejection> ejectionOf(std::span<const double> milliliters);

/// "ejection fraction 59.9 %, carried: 125.0 ml in frame 0 (end diastole) to 50.1 ml in frame 9
/// (end systole)"; `contours` says how frames were followed, empty: nothing.
std::string ejectionText(const Ejection& ejection, const std::string& contours = "");

/// A sentence if the last frame's volume differs from the first one's by more than motion from one
/// frame to the next explains. Empty: it doesn't, or there is no ejection fraction.
std::string openCycleNote(const LiveSurfaces& frames);
std::string openCycleNote(std::span<const double> milliliters);

/// A sentence if the ejection fractions of both ways differ by more than 5 percentage points: the
/// difference, the likely cause, and the frame to look at. Empty: they don't, or one is unknown.
std::string disagreement(const LiveSurfaces& extracted, const LiveSurfaces& carried);

/// A sentence with the ejection fraction between the user's marks if they aren't the frames of the
/// largest and the smallest volume. Empty: they are, or are unknown.
std::string markedNote(const LiveSurfaces& frames, std::optional<int> endDiastole,
                       std::optional<int> endSystole);

} // namespace systole
