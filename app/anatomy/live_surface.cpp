#include "app/anatomy/live_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace systole {

bool complete(const LiveSurfaces& frames) {
    return !frames.empty() && std::ranges::find(frames, nullptr) == frames.end();
}

std::string volumesCsv(const LiveSurfaces& frames, const std::vector<double>& seconds,
                       const std::string& contour) {
    std::string text = "frame,time_s,volume_ml,area_cm2,contour\n";
    for (const auto& frame : frames) {
        if (!frame || !frame->scene)
            continue;
        const auto index = static_cast<std::size_t>(frame->frame);
        text += fmt::format("{},{},{},{:.6g},{}\n", frame->frame,
                            index < seconds.size() ? fmt::format("{:.6g}", seconds[index]) : "",
                            frame->closed ? fmt::format("{:.6g}", frame->milliliters) : "",
                            frame->squareCentimeters, contour);
    }
    return text;
}

} // namespace systole
