// The attributes of DICOM images that may tell their order or times, and what their texts say.
#pragma once

#include "io/dicom/file.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace systole {

enum class TimeUnit { Seconds, Milliseconds, PercentOfCycle, Clock, DateAndClock, OrderOnly };

inline constexpr DicomTag seriesDescription{0x0008, 0x103e, "LO"};
inline constexpr DicomTag dimensionIndexValues{0x0020, 0x9157, "UL"};

struct TimeKey {
    DicomTag tag;
    const char* name;
    TimeUnit unit;
    /// Whether it is a time of some day, the same for all images.
    bool isClock() const { return unit == TimeUnit::Clock || unit == TimeUnit::DateAndClock; }
};

/// Attributes that may distinguish frames, the most reliable first.
inline constexpr std::array<TimeKey, 16> timeKeys{{
    {{0x0020, 0x930d, "FD"}, "temporal position time offset (0020,930D)", TimeUnit::Seconds},
    {{0x0020, 0x9128, "UL"}, "temporal position index (0020,9128)", TimeUnit::OrderOnly},
    {{0x0020, 0x9241, "FL"},
     "nominal percentage of cardiac phase (0020,9241)",
     TimeUnit::PercentOfCycle},
    {{0x0020, 0x9153, "FD"}, "trigger delay (0020,9153)", TimeUnit::Milliseconds},
    {{0x0018, 0x1060, "DS"}, "trigger time (0018,1060)", TimeUnit::Milliseconds},
    {{0x0020, 0x0100, "IS"}, "temporal position identifier (0020,0100)", TimeUnit::OrderOnly},
    {seriesDescription, "percentage in the series description (0008,103E)",
     TimeUnit::PercentOfCycle},
    {seriesDescription, "milliseconds in the series description (0008,103E)",
     TimeUnit::Milliseconds},
    {{0x0018, 0x9074, "DT"},
     "date and time of the frame's acquisition (0018,9074)",
     TimeUnit::DateAndClock},
    {{0x0008, 0x002a, "DT"}, "date and time of acquisition (0008,002A)", TimeUnit::DateAndClock},
    {{0x0008, 0x0033, "TM"}, "content time (0008,0033)", TimeUnit::Clock},
    {{0x0008, 0x0032, "TM"}, "acquisition time (0008,0032)", TimeUnit::Clock},
    {dimensionIndexValues, "dimension index values (0020,9157)", TimeUnit::OrderOnly},
    {{0x0020, 0x0011, "IS"}, "series number (0020,0011)", TimeUnit::OrderOnly},
    {{0x0020, 0x0012, "IS"}, "acquisition number (0020,0012)", TimeUnit::OrderOnly},
    {{0x0020, 0x0013, "IS"}, "instance number (0020,0013)", TimeUnit::OrderOnly},
}};

/// The number of first attributes that give an image's phase or time in the cycle; after them are
/// clocks and numbers, which also differ between images of one time.
inline constexpr std::size_t phaseKeys = 8;

inline constexpr double secondsOfDay = 86'400;

/// "HHMMSS.FFFFFF" as seconds since midnight.
std::optional<double> clockSeconds(const std::string& text);
/// "YYYYMMDDHHMMSS.FFFFFF&ZZXX" as seconds since some day.
std::optional<double> dateAndClockSeconds(const std::string& text);
/// The only number of the text that the unit follows as a word of its own: the phase of a series
/// that is one of many, such as "CTA 35 %" or "CTA 100ms".
std::optional<double> numberBefore(const std::string& unit, const std::string& text);

/// A value of the key as a user would write it.
std::string timeText(const TimeKey& key, double value);

} // namespace systole
