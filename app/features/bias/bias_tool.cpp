#include "app/features/bias/bias_tool.h"

#include "app/base/error.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/task/backend.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>

namespace systole {
namespace {

Backend bestBackend() { return chooseBackend("auto", motionMethods().front()).backend; }

} // namespace

BiasTool::BiasTool(Tools& tools) : Tool(tools), backend(bestBackend()), start_(*this) {}

std::vector<ToolSetting> BiasTool::settings() {
    std::vector<ToolSetting> settings{settingOf("bias: backend", backend)};
    addSettings(settings, "bias", parameters);
    return settings;
}

std::vector<Action> BiasTool::actions() {
    return {{.text = "V&olume change from noise alone",
             .keys = "",
             .act = [this] { showAndStart(); },
             .whyNot = [this] { return whyNot(); }}};
}

std::string BiasTool::whyNot() const {
    if (!session().opened)
        return "no file is open";
    const IntensityScale& scale = session().opened->scale;
    return scale.high > scale.low ? "" : "the image has one gray value only";
}

void BiasTool::startChosen(bool panelOpen) {
    if (!panelOpen)
        return;
    if (const std::string why = whyNot(); !why.empty())
        throw UsageError(fmt::format("--panel {}: {}", biasTitle, why));
    backend = session().motion.backend;
    start();
}

LessonExperiments::Answer BiasTool::answer(const Lesson&) const {
    if (status.run == 0)
        return {notRunYet};
    if (!status.failure.empty())
        return {status.failure};
    return {biasHeadline(status), "",
            status.running ? std::optional(status.fraction) : std::nullopt};
}

void BiasTool::stop() {
    if (run_)
        run_->stop();
}

void BiasTool::showAndStart() {
    host().openPanel(biasTitle);
    start();
}

void BiasTool::follow(ToolContext& context) {
    start_.follow(context, [this](AwaitedInputs& inputs) { begin(inputs); });
    if (run_)
        status = run_->status();
}

void BiasTool::begin(AwaitedInputs& inputs) {
    if (!whyNot().empty())
        return;
    session().playback.pause();
    const int index = session().playback.frame();
    const std::shared_ptr<const Volume> image = inputs.frame(index);
    if (!image)
        return;
    frame_ = index;
    if (!run_)
        run_ = std::make_unique<BiasRun>(
            BiasRun::Options{.threads = session().estimationThreads, .notify = notify()});
    BiasTask task;
    task.name = fmt::format("{}, frame {}", session().opened->sequence.name, index);
    task.image = image;
    task.scale = session().opened->scale;
    task.backend = backend;
    task.set(parameters);
    run_->start(std::move(task));
}

BiasTool::Outline BiasTool::outline() const {
    if (status.run == 0)
        return {};
    const auto* surfaces = tools().find<LabelSurface>();
    const auto surface = surfaces ? surfaces->of(frame_) : nullptr;
    if (surface && surface->scene->walled)
        return {"surface and wall", {surface->scene->mesh, surface->scene->original}};
    if (surface)
        return {"surface", {surface->scene->mesh}};
    if (status.tissue)
        return {"bright tissue", {status.tissue}};
    return {};
}

void BiasTool::opened(const OpenedSequence&) {
    run_.reset();
    status = {};
}

void BiasTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Bias: ", status.failure});
}

void BiasTool::reset() {
    parameters = ParamSet(biasTable());
    backend = bestBackend();
}

std::unique_ptr<Tool> makeBiasTool(Tools& tools) { return std::make_unique<BiasTool>(tools); }

} // namespace systole
