#include "app/commands/motion_options.h"

#include "app/commands/variant_option.h"
#include "app/commands/window_option.h"
#include "app/error.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

std::pair<std::string, std::string> split(const std::string& text) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
        throw UsageError(fmt::format("expected NAME=VALUE, found '{}'", text));
    return {text.substr(0, at), text.substr(at + 1)};
}

void assign(MotionChoice& choice, const std::string& id, const std::string& text) {
    ParamSet checked = choice.parameters;
    checked.setText(id, text);
    choice.set(id, checked.value(id));
}

} // namespace

void MotionOptions::apply(MotionChoice& choice, const std::string& prefix) const {
    try {
        if (!method.empty())
            choice.choose(motionMethod(method));
        if (!preset.empty())
            choice.choosePreset(preset);
        for (const std::string& text : assignments) {
            const auto [id, value] = split(text);
            assign(choice, id, value);
        }
        for (const std::string& text : variants) {
            ParamSet checked = choice.parameters;
            const std::string id = setVariant(checked, text);
            choice.set(id, checked.value(id));
        }
    } catch (const ComputeError& error) {
        throw UsageError(error.what());
    }
    if (!backend.empty())
        choice.chooseBackend(backend);
    if (!reference.empty() || window != 0)
        choice.setWindow(
            windowOf(reference, window, {prefix + "reference", prefix + "window-frames"}));
}

void applyMotionOptions(Session& session, const MotionOptions& left, const MotionOptions& right) {
    left.apply(session.motion);
    const MotionChoice start = MotionChoice::toCompareWith(session.motion);
    session.compared.copyFrom(start);
    // A requested right side matches the left one except in what was requested to differ.
    if (right.any() && right.backend.empty()) {
        session.compared.setBackend(session.motion.backend);
        session.compared.backendReason = "as on the left";
    }
    right.apply(session.compared, "--compare-");
}

} // namespace systole
