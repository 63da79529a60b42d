// What the volumes of a cycle say: end diastole, end systole, whether the cycle closes, and whether
// two ways to follow the frames agree.
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
/// By frame, ml; NaN: not known, the surface is open, or it is that of a label map whose one frame
/// stands for all.
std::vector<double> millilitersByFrame(const LiveSurfaces& frames);
/// Needs the closed surface of every frame, of at least two; none otherwise, and for a surface that
/// is the same in all of them.
std::optional<Ejection> ejectionOf(const LiveSurfaces& frames);
/// The same of volumes, ml, of frames 0, 1, ...: none for fewer than two, or one that isn't above
/// 0.
std::optional<Ejection> ejectionOf(std::span<const double> milliliters);

/// "ejection fraction 59.9 %, carried: 125.0 ml in frame 0 (end diastole) to 50.1 ml in frame 9
/// (end systole)"; `contours` says how frames were followed, empty: nothing.
std::string ejectionText(const Ejection& ejection, const std::string& contours = "");

/// Where the last frame's volume is off the first one's, by more than motion from one frame to the
/// next explains: a sentence. Empty: it isn't, or there is no ejection fraction.
std::string openCycleNote(const LiveSurfaces& frames);
std::string openCycleNote(std::span<const double> milliliters);

/// Where the ejection fractions of both ways differ by more than 5 points: by how much, the likely
/// cause, and the frame to look at. Empty: they don't, or one isn't known.
std::string disagreement(const LiveSurfaces& extracted, const LiveSurfaces& carried);

/// Where the user has marked other frames than those of the largest and the smallest volume: a
/// sentence with the ejection fraction between the marks. Empty: they are the same, or not known.
std::string markedNote(const LiveSurfaces& frames, std::optional<int> endDiastole,
                       std::optional<int> endSystole);

} // namespace systole
