#include "app/session/resets.h"

#include <algorithm>

namespace systole {
namespace {

void resetToPreset(MotionChoice& choice) {
    const ParamSet preset(*choice.method->parameters, choice.preset);
    const auto& rows = choice.method->parameters->rows();
    // Setting them anew would outdate finished fields.
    if (std::ranges::any_of(rows, [&](const ParamRow& row) {
            return choice.parameters.value(row.id) != preset.value(row.id);
        }))
        choice.choosePreset(choice.preset);
}

} // namespace

std::string presetName(const MotionChoice& choice) {
    return choice.preset.empty() ? "defaults" : "preset " + choice.preset;
}

void resetDisplay(Session& session) {
    DisplayOptions fresh;
    fresh.layout = session.display.layout;
    fresh.sideView = session.display.sideView;
    fresh.modality = session.display.modality; // a property of the sequence, not of its display
    session.display = fresh;
}

void resetParameters(Session& session) {
    resetToPreset(session.motion);
    resetToPreset(session.compared);
}

void resetMarks(Session& session) { session.marks = {}; }

std::string presetsText(const Session& session) {
    const std::string left = presetName(session.motion), right = presetName(session.compared);
    return left == right ? left : left + ", right side: " + right;
}

} // namespace systole
