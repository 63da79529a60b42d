#include "app/estimation/motion_choice.h"

#include "app/task/backend.h"
#include "compute/motion/methods.h"
#include "compute/motion/trajectory_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

/// The preset named "default" if the method has one, else the table's own values.
std::string firstPreset(const MotionMethod& method) {
    const std::vector<std::string> presets = method.parameters->presets();
    return std::ranges::find(presets, "default") != presets.end() ? "default" : "";
}

} // namespace

MotionChoice::MotionChoice()
    : method(&motionMethods().front())
    , preset(firstPreset(*method))
    , parameters(*method->parameters, preset) {
    chooseBestBackend();
}

MotionChoice MotionChoice::toCompareWith(const MotionChoice& other) {
    MotionChoice choice;
    choice.copyFrom(other);
    const Backend wanted = other.backend == Backend::Cuda ? Backend::Cpu : Backend::CpuReference;
    const std::vector<Backend>& has = choice.method->backends;
    if (std::ranges::find(has, wanted) != has.end()) {
        choice.setBackend(wanted);
        choice.backendReason = "to compare with";
    }
    return choice;
}

void MotionChoice::chooseBestBackend() {
    const BackendChoice best = systole::chooseBackend("auto", *method);
    backend = best.backend;
    backendReason = best.reason;
}

void MotionChoice::choose(const MotionMethod& other) {
    if (method == &other)
        return;
    method = &other;
    preset = firstPreset(other);
    parameters = ParamSet(*other.parameters, preset);
    chooseBestBackend();
    ++revision;
}

void MotionChoice::choosePreset(const std::string& name) {
    parameters = ParamSet(*method->parameters, name);
    preset = name;
    ++revision;
}

void MotionChoice::set(const std::string& id, ParamValue value) {
    if (parameters.value(id) == value)
        return;
    parameters.set(id, std::move(value));
    ++revision;
}

void MotionChoice::chooseBackend(const std::string& asked) {
    const BackendChoice choice = systole::chooseBackend(asked, *method);
    setBackend(choice.backend);
    backendReason = choice.reason;
}

void MotionChoice::setBackend(Backend other) {
    if (backend == other)
        return;
    backend = other;
    backendReason = "requested";
    ++revision;
}

bool MotionChoice::hasStage(const std::string& text) const {
    return std::ranges::find(stages, text) != stages.end();
}

void MotionChoice::setStage(const std::string& text, bool on) {
    if (hasStage(text) == on)
        return;
    if (on)
        stages.push_back(text);
    else
        std::erase(stages, text);
    ++revision;
}

void MotionChoice::setWindow(int frames) {
    if (window == frames)
        return;
    if (frames != 0)
        TrajectoryFilter{frames};
    window = frames;
    ++revision;
}

void MotionChoice::copyFrom(const MotionChoice& other) {
    method = other.method;
    preset = other.preset;
    parameters = other.parameters;
    backend = other.backend;
    backendReason = other.backendReason;
    stages = other.stages;
    window = other.window;
    ++revision;
}

const std::vector<int>& offeredWindows() {
    static const std::vector<int> windows{0, unsmoothedWindow, 5, 7, 9, 11, 15};
    return windows;
}

std::string referenceText(const MotionChoice& choice) {
    if (choice.window == unsmoothedWindow)
        return "first frame";
    return choice.window > 0 ? fmt::format("window of {} frames", choice.window)
                             : std::string("previous frame");
}

std::string referenceText(const MotionChoice& choice, int fixedFrame, int movingFrame) {
    const std::string reference = choice.window == unsmoothedWindow ? "first"
                                  : choice.window > 0 ? fmt::format("window of {}", choice.window)
                                                      : std::string("previous");
    return fmt::format("{}: {} → {}", reference, fixedFrame, movingFrame);
}

} // namespace systole
