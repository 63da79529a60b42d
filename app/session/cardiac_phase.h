// The position of a frame in the cardiac cycle, relative to the user's marks.
#pragma once

#include "app/session/playback.h"

#include <optional>

namespace systole {

/// Frames marked by the user; never guessed.
struct CardiacMarks {
    std::optional<int> endDiastole, endSystole;

    bool operator==(const CardiacMarks&) const = default;
};

struct CardiacPhase {
    enum class Part {
        Unknown,     ///< the times are unknown
        Cycle,       ///< percent of the cycle since frame 0: nothing is marked
        SinceMarked, ///< percent of the cycle since the only mark
        Systole,     ///< percent of the time from end diastole to end systole
        Diastole     ///< percent of the time from end systole to the next end diastole
    };
    Part part = Part::Unknown;
    double percent = 0; ///< position within `part`, [0, 100)
};

/// Marks outside the sequence, and an end systole on the frame of end diastole, don't count.
CardiacPhase phaseOf(const Playback& playback, const CardiacMarks& marks);

} // namespace systole
