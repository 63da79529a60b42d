#include "app/kit/motion_widgets.h"

#include "app/kit/tool_widgets.h"
#include "compute/motion/methods.h"

namespace systole {

const MotionMethod* chooseMethod(const MotionMethod& now,
                                 const std::vector<MotionMethod>& methods) {
    const auto both = [](const MotionMethod& method) { return method.name + ": " + method.title; };
    const MotionMethod* chosen = combo("##method", now.name, both(now), methods, both);
    tooltip(both(now));
    return chosen;
}

void chooseMethod(MotionChoice& choice) {
    if (const MotionMethod* chosen = chooseMethod(*choice.method, motionMethods()))
        choice.choose(*chosen);
}

void chooseBackend(MotionChoice& choice) {
    const auto nameOf = [](Backend backend) { return std::string(name(backend)); };
    if (const Backend* chosen =
            combo("##backend", nameOf(choice.backend), choice.method->backends, nameOf))
        choice.chooseBackend(nameOf(*chosen));
    tooltip(choice.backendReason);
}

void choosePreset(MotionChoice& choice) {
    const std::vector<std::string> presets = choice.method->parameters->presets();
    if (const std::string* chosen =
            combo("##preset", choice.preset, presets, [](const std::string& text) { return text; }))
        choice.choosePreset(*chosen);
}

void chooseReference(MotionChoice& choice, const FrameResult* shown) {
    const auto nameOf = [&](int window) {
        MotionChoice other = choice;
        other.window = window;
        return referenceText(other);
    };
    const std::string now = shown ? referenceText(choice, shown->fixedFrame, shown->movingFrame)
                                  : referenceText(choice);
    if (const int* chosen =
            combo("##reference", now, referenceText(choice), offeredWindows(), nameOf))
        choice.setWindow(*chosen);
}

} // namespace systole
