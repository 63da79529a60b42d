#include "app/base/plural.h"

#include <cstddef>
#include <vector>

namespace systole {

std::string framesText(std::span<const int> frames) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < frames.size();) {
        std::size_t end = i + 1;
        while (end < frames.size() && frames[end] == frames[end - 1] + 1)
            ++end;
        // Two neighbors are no range.
        if (end - i == 2)
            end = i + 1;
        parts.push_back(end - i == 1 ? fmt::to_string(frames[i])
                                     : fmt::format("{} to {}", frames[i], frames[end - 1]));
        i = end;
    }
    std::string text = frames.size() == 1 ? "frame " : "frames ";
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

} // namespace systole
