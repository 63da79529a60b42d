#include "app/features/profile/time_profile.h"

#include "render/view_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace systole {
namespace {

constexpr int maxPlaces = 1024;

} // namespace

TimeProfile::TimeProfile(const Line& line, int frames, double spacing)
    : line_(line)
    , places_(static_cast<int>(std::clamp(std::ceil(2 * length(line[1] - line[0]) / spacing) + 1,
                                          2.0, static_cast<double>(maxPlaces))))
    , columns_(static_cast<std::size_t>(frames)) {}

double TimeProfile::placeMillimeters(int place) const {
    return length(line_[1] - line_[0]) * place / (places_ - 1);
}

std::optional<int> TimeProfile::missing() const {
    const auto found =
        std::ranges::find_if(columns_, [](const auto& column) { return !column.has_value(); });
    return found == columns_.end() ? std::nullopt
                                   : std::optional(static_cast<int>(found - columns_.begin()));
}

void TimeProfile::sample(int frame, const Volume& volume) {
    std::vector<float> values(static_cast<std::size_t>(places_));
    for (int place = 0; place < places_; ++place)
        values[static_cast<std::size_t>(place)] =
            valueAt(volume,
                    line_[0] + static_cast<double>(place) / (places_ - 1) * (line_[1] - line_[0]))
                .value_or(std::numeric_limits<float>::quiet_NaN());
    columns_[static_cast<std::size_t>(frame)] = std::move(values);
}

void TimeProfile::leaveOut(int frame) { columns_[static_cast<std::size_t>(frame)].emplace(); }

const std::vector<float>& TimeProfile::column(int frame) const {
    static const std::vector<float> none;
    const auto& column = columns_[static_cast<std::size_t>(frame)];
    return column ? *column : none;
}

RgbaImage TimeProfile::picture(const WindowLevel& window) const {
    RgbaImage image{frames(), places_, {}};
    image.pixels.resize(4 * static_cast<std::size_t>(image.width) *
                        static_cast<std::size_t>(image.height));
    std::uint8_t* pixel = image.pixels.data();
    for (int place = 0; place < places_; ++place)
        for (int frame = 0; frame < frames(); ++frame, pixel += 4) {
            const std::vector<float>& values = column(frame);
            const double value = values.empty()
                                     ? std::numeric_limits<double>::quiet_NaN()
                                     : static_cast<double>(values[static_cast<std::size_t>(place)]);
            const double part = (value - window.level) / window.window + 0.5;
            const auto gray = static_cast<std::uint8_t>(
                std::isfinite(part) ? std::lround(255 * std::clamp(part, 0.0, 1.0)) : 0);
            std::fill_n(pixel, 3, gray);
            pixel[3] = 255;
        }
    return image;
}

std::string TimeProfile::table() const {
    std::string text = "mm";
    for (int frame = 0; frame < frames(); ++frame)
        text += fmt::format("\tframe {}", frame);
    text += '\n';
    for (int place = 0; place < places_; ++place) {
        text += fmt::format("{:.4g}", placeMillimeters(place));
        for (int frame = 0; frame < frames(); ++frame) {
            const std::vector<float>& values = column(frame);
            text += values.empty() ? "\t-"
                                   : fmt::format("\t{:g}", values[static_cast<std::size_t>(place)]);
        }
        text += '\n';
    }
    return text;
}

} // namespace systole
