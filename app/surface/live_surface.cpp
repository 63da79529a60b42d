#include "app/surface/live_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace systole {

bool ejectionOf(const LiveSurfaces& frames, Ejection& ejection) {
    const auto unknown = [](const auto& frame) {
        return !frame || !frame->scene || !frame->closed || !(frame->milliliters > 0);
    };
    if (frames.size() < 2 || std::ranges::any_of(frames, unknown))
        return false;
    const auto [least, most] = std::ranges::minmax_element(
        frames, {}, [](const auto& frame) { return frame->milliliters; });
    ejection.largestFrame = (*most)->frame;
    ejection.smallestFrame = (*least)->frame;
    ejection.largest = (*most)->milliliters;
    ejection.smallest = (*least)->milliliters;
    ejection.fraction = (ejection.largest - ejection.smallest) / ejection.largest;
    return true;
}

std::string volumesCsv(const LiveSurfaces& frames, const std::vector<double>& seconds) {
    std::string text = "frame,time_s,volume_ml,area_cm2\n";
    for (const auto& frame : frames) {
        if (!frame || !frame->scene)
            continue;
        const auto index = static_cast<std::size_t>(frame->frame);
        text += fmt::format("{},{},{},{:.6g}\n", frame->frame,
                            index < seconds.size() ? fmt::format("{:.6g}", seconds[index]) : "",
                            frame->closed ? fmt::format("{:.6g}", frame->milliliters) : "",
                            frame->squareCentimeters);
    }
    return text;
}

} // namespace systole
