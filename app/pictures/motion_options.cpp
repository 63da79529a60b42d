#include "app/pictures/motion_options.h"

#include "app/base/error.h"
#include "app/cli/method_options.h"
#include "app/cli/text_parts.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>

namespace systole {
void MotionOptions::apply(MotionChoice& choice, const std::string& prefix) const {
    try {
        if (!method.empty())
            choice.choose(motionMethod(method));
    } catch (const ComputeError& error) {
        throw UsageError(error.what());
    }
    try {
        if (!preset.empty())
            choice.choosePreset(preset);
    } catch (const ComputeError& error) {
        const char* option = prefix == "--" ? "--motion-preset" : "--compare-preset";
        throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
    const auto assign = [&](const std::string& id, const ParamSet& checked) {
        choice.set(id, checked.value(id));
    };
    for (const std::string& text : assignments) {
        ParamSet checked = choice.parameters;
        assign(assignParameter(checked, text, (prefix + "set").c_str()), checked);
    }
    for (const std::string& text : variants) {
        ParamSet checked = choice.parameters;
        assign(setVariant(checked, text), checked);
    }
    if (backend.starts_with("cuda:"))
        throw UsageError("--" + prefix +
                         "backend: the window's device is the one that draws: "
                         "'cuda', not '" +
                         backend + "'");
    if (!backend.empty())
        choice.chooseBackend(backend);
    for (const std::string& stage : stages)
        choice.setStage(stage, true);
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
