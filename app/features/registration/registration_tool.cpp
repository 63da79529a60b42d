#include "app/features/registration/registration_tool.h"

#include "app/base/error.h"
#include "app/feature/tools.h"
#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

namespace systole {
namespace {

constexpr double flickerSeconds = 0.5;

double flickerClock() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// True while flicker shows the fixed image, false while it shows the warped one.
bool flickersToFixed() { return static_cast<long long>(flickerClock() / flickerSeconds) % 2 == 0; }

std::shared_ptr<const Volume> firstFrameOf(const std::string& file, const ExecContext& ctx) {
    return std::make_shared<Volume>(
        decodeFrame(openSequence({file}, {.acceptUnknown = true}), 0, *ctx.pool, "moving image"));
}

std::string nameOf(const RegistrationTool& registration) {
    const std::string moving =
        registration.movingFile.empty()
            ? fmt::format("frame {}", registration.movingFrame)
            : std::filesystem::path(registration.movingFile).filename().string();
    const MotionMethod& method = *registration.choice.method;
    const bool chain = registration.affineFirst && method.name != affineMethod().name;
    return fmt::format("frame {} and {}, {}{}", registration.fixedFrame, moving,
                       chain ? affineMethod().name + ", then " : "", method.name);
}

} // namespace

RegistrationTool::RegistrationTool(Tools& tools)
    : Tool(tools), start_(*this), view_(*this, [this] { return secondsToChange(); }) {
    reset();
}

/// The frames stay.
void RegistrationTool::reset() {
    choice = {};
    movingFile.clear();
    view = RegistrationView::Warped;
    for (const MotionMethod& method : registrationMethods())
        if (startsWithAffine(method))
            choose(method);
}

std::vector<ToolSetting> RegistrationTool::settings() {
    const auto changed = [this] { ++choice.revision; };
    std::vector<ToolSetting> settings{
        settingOf("registration: fixed frame", fixedFrame),
        settingOf("registration: moving frame", movingFrame),
        settingOf("registration: moving file", movingFile),
        settingOf("registration: view", view),
        {.name = "registration: method",
         .get = [this] { return ParamValue(choice.method->name); },
         .set = [this](const ParamValue& name) { choose(std::get<std::string>(name)); },
         .decides = true},
        settingOf("registration: affine first", affineFirst),
        settingOf("registration: backend", choice.backend, changed),
        settingOf("registration: preset", choice.preset, changed)};
    settings.back().decides = true;
    addSettings(settings, "registration", choice.parameters, changed);
    return settings;
}

void RegistrationTool::choose(const std::string& name) {
    for (const MotionMethod& method : registrationMethods())
        if (method.name == name)
            choose(method);
}

void RegistrationTool::choose(const MotionMethod& method) {
    choice.choose(method);
    affineFirst = startsWithAffine(method);
}

void RegistrationTool::chooseMovingFile() {
    host().chooseOpen({.title = "Moving image of the registration (its first frame)"},
                      [this](const std::string& path) { movingFile = path; });
}

std::string RegistrationTool::whyNot() const {
    if (!session().opened)
        return "no file is open";
    const int frames = session().opened->sequence.frames;
    if (fixedFrame >= frames || (movingFile.empty() && movingFrame >= frames))
        return "the file has fewer frames";
    if (movingFile.empty() && frames == 1)
        return "the file has one frame; choose the moving image's file";
    if (movingFile.empty() && fixedFrame == movingFrame)
        return "fixed and moving image are the same";
    return "";
}

NoiseExperiment* RegistrationTool::noiseAlone() const { return tools().find<NoiseExperiment>(); }

void RegistrationTool::startChosen(bool) {
    if (!std::exchange(startsChosen, false))
        return;
    fixedFrame = session().playback.frame();
    if (const std::string why = whyNot(); !why.empty())
        throw UsageError(fmt::format("--register: {}", why));
    start();
}

void RegistrationTool::start() {
    start_.drop();
    if (whyNot().empty())
        start_.put();
}

void RegistrationTool::stop() {
    if (run_)
        run_->stop();
}

std::vector<UnsavedWork> RegistrationTool::unsaved() {
    if (status.best == 0 || bestSoFar() == saved_.lock())
        return {};
    return {{"registration of " + status.name,
             [this](std::function<void()> then) { saveField(std::move(then)); }}};
}

/// The views show the sequence again as soon as another frame is asked for.
void RegistrationTool::follow(ToolContext& context) {
    Playback& playback = session().playback;
    if (wasShown_ && (playback.playing() || playback.frame() != shownFrame_))
        shown = false;
    start_.follow(context, [&](AwaitedInputs& inputs) { begin(context, inputs); });
    if (run_) {
        status = run_->status();
        updatePicture(context);
        if (status.note.empty())
            status.note = painter_->problem();
    }
    if (shown && !wasShown_) {
        playback.pause();
        playback.seek(shownFrame_);
    }
    wasShown_ = shown;
}

void RegistrationTool::begin(ToolContext& context, AwaitedInputs& inputs) {
    const bool fromFile = !movingFile.empty();
    const std::shared_ptr<const Volume> fixed = inputs.frame(fixedFrame);
    const std::shared_ptr<const Volume> moving = fromFile ? nullptr : inputs.frame(movingFrame);
    if (!fixed || (!fromFile && !moving))
        return;
    if (!run_) {
        const int threads = session().estimationThreads;
        run_ = std::make_unique<RegistrationRun>(
            RegistrationRun::Options{.threads = threads, .notify = notify()});
        painter_ = std::make_unique<RegistrationPainter>(RegistrationPainter::Options{
            .threads = threads, .device = context.interopDevice().value_or(0), .notify = notify()});
    }
    scale_ = session().opened->scale;
    valuesView_.reset();
    RegistrationTask task;
    task.name = nameOf(*this);
    task.open = [fixed, moving, file = movingFile](const ExecContext& ctx) {
        return RegistrationPair{fixed, moving ? moving : firstFrameOf(file, ctx)};
    };
    task.plan = planOf(*choice.method, choice.parameters, choice.backend, affineFirst);
    backend_ = choice.backend;
    run_->start(std::move(task));
    iteration = 0;
    picture.reset();
    figures.reset();
    shownFrame_ = fixedFrame;
    shown = true;
}

/// Requests the picture of the wanted iteration; meanwhile the one before stays.
bool RegistrationTool::completeFor(int, bool) const {
    return !shown || (!status.running && picture &&
                      picture->number == (iteration > 0 ? iteration : status.best));
}

void RegistrationTool::updatePicture(ToolContext& context) {
    const RegistrationPair images = run_->images();
    if (!images.fixed || !shown)
        return;
    const int newest = status.points.empty() ? 0 : status.points.back().number;
    const int number = iteration > 0 ? iteration : status.running ? newest : status.best;
    WantedPicture wanted{
        status.run,           images, scale_, run_->iterate(number), comparisonOf(view),
        context.shownVoxels()};
    auto painted = painter_->find({.picture = wanted,
                                   .backend = backend_,
                                   .keepOnDevice = context.interopDevice().has_value(),
                                   .hurry = iteration > 0});
    const auto now = RateMeter::Clock::now();
    if (painted && (!picture || picture->number != painted->number))
        pictures_.add(now);
    picturesPerSecond = pictures_.perSecond(now);
    if (painted && painted->figures)
        figures = painted;
    if (painted) {
        picture = std::move(painted);
        if (std::exchange(valuesView_, view) != view)
            values_ = valueColorsOf(view, scale_);
    }
    wanted_ = std::move(wanted);
    wantedIteration_ = iteration;
}

void RegistrationTool::opened(const OpenedSequence& sequence) {
    stop();
    run_.reset();
    painter_.reset();
    wanted_.reset();
    status = {};
    picture.reset();
    figures.reset();
    start_.drop();
    shown = wasShown_ = false;
    fixedFrame = iteration = 0;
    if (startsChosen)
        return; // it was chosen for this sequence
    movingFile.clear();
    // Near the end of systole.
    movingFrame = std::min(std::max(1, sequence.sequence.frames / 3), sequence.sequence.frames - 1);
    view = RegistrationView::Warped;
}

void RegistrationTool::show(SceneContribution& scene) const {
    if (!shown)
        return;
    SceneContribution::Picture& place = scene.picture.emplace();
    place.name = "registration of " + status.name;
    place.note = noteOfView();
    place.frame = shownFrame_;
    if (picture && picture->figures)
        place.motion = picture->figures->motion;
    if (figures)
        place.motionRange = figures->figures->longest;
    if (picture && !(view == RegistrationView::Flicker && flickersToFixed())) {
        if (values_ && wanted_) {
            place.volume = wanted_->images.fixed;
            place.values = {values_, picture->volume, picture->onDevice, picture->boxes};
        } else {
            place.volume = picture->volume;
            place.onDevice = picture->onDevice;
            place.boxes = picture->boxes;
        }
    } else if (wanted_) {
        place.volume = wanted_->images.fixed;
    }
}

/// Name of the picture on the slices, which looks like a frame.
std::string RegistrationTool::noteOfView() const {
    const bool flickers = view == RegistrationView::Flicker;
    if (!picture || view == RegistrationView::Fixed || (flickers && flickersToFixed()))
        return "fixed image";
    return fmt::format("{}, iteration {}",
                       systole::name(flickers ? RegistrationView::Warped : view), picture->number);
}

void RegistrationTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Registration: ", status.failure});
}

std::string RegistrationTool::caption() const {
    if (!shown)
        return "";
    return fmt::format("registration of {}, iteration {} of {}, {}", status.name,
                       picture ? picture->number : 0, status.points.size(), systole::name(view));
}

/// Time until the views show something else.
double RegistrationTool::secondsToChange() const {
    const bool followed = !shown || !wanted_ ||
                          (wanted_->view == comparisonOf(view) && wantedIteration_ == iteration);
    if (!followed || shown != wasShown_)
        return 0;
    return shown && view == RegistrationView::Flicker
               ? flickerSeconds - std::fmod(flickerClock(), flickerSeconds) + 1e-3
               : never;
}

std::unique_ptr<Tool> makeRegistrationTool(Tools& tools) {
    return std::make_unique<RegistrationTool>(tools);
}

} // namespace systole
