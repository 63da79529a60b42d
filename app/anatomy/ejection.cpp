#include "app/anatomy/ejection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <vector>

namespace systole {
namespace {

/// Largest change of volume over a closed cycle, as a fraction of the end-diastolic volume.
constexpr double openCycle = 0.03;
/// Difference of two ejection fractions from which they disagree.
constexpr double disagreeing = 0.05;
/// Factor from frame to frame by which a contour's volume, relative to the carried one, jumps.
constexpr double suddenChange = 1.25;

/// The frame to which the contour jumps, while the motion doesn't; none: there is no such frame. A
/// heart that fills fast isn't one.
std::optional<std::size_t> suddenFrame(const LiveSurfaces& extracted, const LiveSurfaces& carried) {
    const auto part = [&](std::size_t frame) {
        return extracted[frame]->milliliters / carried[frame]->milliliters;
    };
    for (std::size_t i = 1; i < extracted.size(); ++i) {
        const double change = part(i) / part(i - 1);
        if (change > suddenChange || change < 1 / suddenChange)
            return i;
    }
    return std::nullopt;
}

/// `apart`: the frame in which the volumes are farthest apart.
std::string likelyCause(const LiveSurfaces& extracted, const LiveSurfaces& carried,
                        std::size_t apart, bool carriedEjectsLess) {
    if (const auto sudden = suddenFrame(extracted, carried))
        return fmt::format("the contour found in frame {}, whose volume is out of line with frame "
                           "{}",
                           *sudden, *sudden - 1);
    if (apart + 1 == extracted.size())
        return "errors of the motion that add up from frame to frame";
    return carriedEjectsLess
               ? "smoothed motion that moves the wall too little; less smoothness, or another "
                 "method, carries it farther"
               : "contours that don't follow the wall in every frame, or motion that moves it too "
                 "far";
}

} // namespace

std::vector<double> millilitersByFrame(const LiveSurfaces& frames) {
    std::vector<double> volumes;
    for (const auto& frame : frames) {
        const bool known =
            frame && frame->scene && frame->closed && !(frame->still && !frame->carried);
        volumes.push_back(known ? frame->milliliters : std::numeric_limits<double>::quiet_NaN());
    }
    return volumes;
}

std::optional<Ejection> ejectionOf(const LiveSurfaces& frames) {
    return ejectionOf(millilitersByFrame(frames));
}

std::optional<Ejection> ejectionOf(std::span<const double> milliliters) {
    if (milliliters.size() < 2 ||
        std::ranges::any_of(milliliters, [](double volume) { return !(volume > 0); }))
        return std::nullopt;
    const auto [smallest, largest] = std::ranges::minmax_element(milliliters);
    Ejection ejection;
    ejection.largestFrame = static_cast<int>(largest - milliliters.begin());
    ejection.smallestFrame = static_cast<int>(smallest - milliliters.begin());
    ejection.largest = *largest;
    ejection.smallest = *smallest;
    ejection.fraction = (ejection.largest - ejection.smallest) / ejection.largest;
    return ejection;
}

std::string ejectionText(const Ejection& ejection, const std::string& contours) {
    return fmt::format("ejection fraction {:.1f} %{}{}: {:.1f} ml in frame {} (end diastole) to "
                       "{:.1f} ml in frame {} (end systole)",
                       100 * ejection.fraction, contours.empty() ? "" : ", ", contours,
                       ejection.largest, ejection.largestFrame, ejection.smallest,
                       ejection.smallestFrame);
}

std::string openCycleNote(const LiveSurfaces& frames) {
    return ejectionOf(frames) ? openCycleNote(millilitersByFrame(frames)) : "";
}

std::string openCycleNote(std::span<const double> milliliters) {
    const std::optional<Ejection> ejection = ejectionOf(milliliters);
    if (!ejection)
        return "";
    const double first = milliliters.front(), last = milliliters.back();
    if (std::abs(last - first) <= openCycle * ejection->largest)
        return "";
    return fmt::format("The cycle doesn't close: {:.1f} ml in frame {} against {:.1f} ml in frame "
                       "0, {:+.1f} %. End diastole is frame {}, where the volume is largest.",
                       last, milliliters.size() - 1, first, 100 * (last / first - 1),
                       ejection->largestFrame);
}

std::string markedNote(const LiveSurfaces& frames, std::optional<int> endDiastole,
                       std::optional<int> endSystole) {
    const std::optional<Ejection> ejection = ejectionOf(frames);
    if (!ejection)
        return "";
    const int diastole = endDiastole.value_or(ejection->largestFrame),
              systole = endSystole.value_or(ejection->smallestFrame);
    const int count = static_cast<int>(frames.size());
    if ((diastole == ejection->largestFrame && systole == ejection->smallestFrame) ||
        diastole >= count || systole >= count)
        return "";
    const double from = frames[static_cast<std::size_t>(diastole)]->milliliters,
                 to = frames[static_cast<std::size_t>(systole)]->milliliters;
    return fmt::format("The marks are other frames: from ED {} ({:.1f} ml) to ES {} ({:.1f} ml) "
                       "the ejection fraction is {:.1f} %.",
                       diastole, from, systole, to, 100 * (1 - to / from));
}

std::string disagreement(const LiveSurfaces& extracted, const LiveSurfaces& carried) {
    const std::optional<Ejection> each = ejectionOf(extracted), moved = ejectionOf(carried);
    if (!each || !moved || extracted.size() != carried.size() ||
        std::abs(each->fraction - moved->fraction) <= disagreeing)
        return "";
    const auto difference = [&](std::size_t frame) {
        return std::abs(extracted[frame]->milliliters - carried[frame]->milliliters);
    };
    std::size_t apart = 0;
    for (std::size_t frame = 1; frame < extracted.size(); ++frame)
        if (difference(frame) > difference(apart))
            apart = frame;
    return fmt::format(
        "The two ejection fractions differ by {:.1f} points. Likely cause: {}. Compare the "
        "contours in frame {}, where they are {:.1f} ml apart.",
        100 * std::abs(each->fraction - moved->fraction),
        likelyCause(extracted, carried, apart, moved->fraction < each->fraction), apart,
        difference(apart));
}

} // namespace systole
