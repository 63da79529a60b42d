#include "app/session/cardiac_phase.h"

namespace systole {

CardiacPhase phaseOf(const Playback& playback, const CardiacMarks& marks) {
    using Part = CardiacPhase::Part;
    if (!playback.timeKnown() || playback.frames() < 1 || !(playback.cycleSeconds() > 0))
        return {};
    const int frame = playback.frame();
    const auto inside = [&](std::optional<int> mark) {
        return mark && *mark >= 0 && *mark < playback.frames() ? mark : std::nullopt;
    };
    const auto percent = [&](int from, double whole) {
        return 100 * playback.secondsFromTo(from, frame) / whole;
    };
    const std::optional<int> diastole = inside(marks.endDiastole),
                             systole = inside(marks.endSystole);
    if (diastole && systole && diastole != systole) {
        const double systoleSeconds = playback.secondsFromTo(*diastole, *systole);
        const double diastoleSeconds = playback.cycleSeconds() - systoleSeconds;
        return playback.secondsFromTo(*diastole, frame) < systoleSeconds
                   ? CardiacPhase{Part::Systole, percent(*diastole, systoleSeconds)}
                   : CardiacPhase{Part::Diastole, percent(*systole, diastoleSeconds)};
    }
    if (const std::optional<int> mark = diastole ? diastole : systole)
        return {Part::SinceMarked, percent(*mark, playback.cycleSeconds())};
    return {Part::Cycle, percent(0, playback.cycleSeconds())};
}

} // namespace systole
