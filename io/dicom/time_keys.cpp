#include "io/dicom/time_keys.h"

#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>

namespace systole {
namespace {

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// "+HHMM" or "-HHMM", how far the clock was before that of Greenwich.
std::optional<double> zoneSeconds(const std::string& text) {
    const auto hours = text.size() == 5 ? parseInteger(text.substr(1, 2)) : std::nullopt,
               minutes = text.size() == 5 ? parseInteger(text.substr(3, 2)) : std::nullopt;
    if (!hours || !minutes)
        return std::nullopt;
    const auto seconds = static_cast<double>(*hours * 3600 + *minutes * 60);
    return text.front() == '-' ? -seconds : seconds;
}

} // namespace

std::optional<double> clockSeconds(const std::string& text) {
    if (text.size() < 6)
        return std::nullopt;
    const auto hours = parseReal(text.substr(0, 2)), minutes = parseReal(text.substr(2, 2)),
               seconds = parseReal(text.substr(4));
    if (!hours || !minutes || !seconds)
        return std::nullopt;
    return *hours * 3600 + *minutes * 60 + *seconds;
}

std::optional<double> dateAndClockSeconds(const std::string& text) {
    constexpr std::size_t date = 8;
    if (text.size() < date)
        return std::nullopt;
    const std::size_t zone = std::min(text.find_first_of("+-", date), text.size());
    const auto year = parseInteger(text.substr(0, 4)), month = parseInteger(text.substr(4, 2)),
               day = parseInteger(text.substr(6, 2));
    const auto clock = clockSeconds(text.substr(date, zone - date)),
               ahead = zone < text.size() ? zoneSeconds(text.substr(zone)) : std::optional(0.0);
    if (!year || !month || !day || *month < 1 || *day < 1 || !clock || !ahead)
        return std::nullopt;
    const std::chrono::year_month_day stated{std::chrono::year(static_cast<int>(*year)),
                                             std::chrono::month(static_cast<unsigned>(*month)),
                                             std::chrono::day(static_cast<unsigned>(*day))};
    if (!stated.ok())
        return std::nullopt;
    const auto days = std::chrono::sys_days(stated).time_since_epoch().count();
    return static_cast<double>(days) * secondsOfDay + *clock - *ahead;
}

std::optional<double> numberBefore(const std::string& unit, const std::string& text) {
    std::optional<std::size_t> found;
    for (std::size_t at = text.find(unit); at != std::string::npos; at = text.find(unit, at + 1)) {
        const std::size_t behind = at + unit.size();
        const bool isWord =
            !isLetter(unit.back()) || ((at == 0 || !isLetter(text[at - 1])) &&
                                       (behind == text.size() || !isLetter(text[behind])));
        if (isWord && found)
            return std::nullopt;
        if (isWord)
            found = at;
    }
    if (!found)
        return std::nullopt;
    const std::string_view before = trimmed(std::string_view(text).substr(0, *found));
    const std::size_t last = before.find_last_not_of("0123456789.");
    return parseReal(before.substr(last == std::string_view::npos ? 0 : last + 1));
}

std::string timeText(const TimeKey& key, double value) {
    if (!key.isClock())
        return fmt::format("{:g}", value);
    const double ofDay = value - secondsOfDay * std::floor(value / secondsOfDay);
    const auto minutes = static_cast<int>(ofDay / 60);
    return fmt::format("{:02}:{:02}:{:06.3f}", minutes / 60, minutes % 60, ofDay - 60 * minutes);
}

} // namespace systole
