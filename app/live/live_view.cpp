#include "app/live/live_view.h"

#include "app/base/lab_library.h"
#include "app/session/comparison.h"
#include "app/session/motion_note.h"
#include "app/session/shown_slices.h"
#include "app/tuning/autotuner.h"
#include "compute/core/machine.h"
#include "compute/cuda/device.h"

#include <algorithm>
#include <utility>

namespace systole {
namespace {

constexpr double framesShare = 0.4; ///< fraction of device memory; estimations have their own

/// Limits are 1/`part` of those of a single estimation.
PipelineOptions pipelineOptions(std::function<void()> notify, std::size_t part, KeepFields keep) {
    PipelineOptions options;
    options.threads = estimationThreads();
    const bool kept = keep == KeepFields::Yes;
    options.cacheBytes = kept ? physicalBytes() / 8 / part : 0;
    options.cachedDeviceShare = kept ? options.cachedDeviceShare : 0;
    options.poolBytes = physicalBytes() / 2 / part;
    options.tuner = std::make_shared<Autotuner>(Autotuner::Options{.machineFor = machineFor});
    options.notify = std::move(notify);
    return options;
}

Sequence withFrameTime(Sequence sequence, double milliseconds) {
    sequence.timesSeconds.clear();
    for (int frame = 0; frame < sequence.frames; ++frame)
        sequence.timesSeconds.push_back(frame * milliseconds / 1000);
    sequence.closingSeconds = milliseconds / 1000;
    return sequence;
}

} // namespace

LiveView::LiveView(Session& session, Tools& tools, Scene& scene, std::function<void()> notify,
                   KeepFields keep)
    : session_(session)
    , tools_(tools)
    , scene_(scene)
    , framePool_(physicalBytes() / 2)
    , device_(framesShare, physicalBytes() / 2)
    , notify_(std::move(notify))
    , keepFields_(keep)
    , left_(pipelineOptions(notify_, 1, keep))
    , comparer_(physicalBytes() / 16, notify_)
    , loader_(notify_) {
    tools_.setNotify(notify_);
    scene_.setWaits(false);
    session_.estimationThreads = estimationThreads();
    for (const CudaDevice& device : cudaStatus().devices)
        if (device.usable && session_.cudaDevice.empty())
            session_.cudaDevice = device.name;
    scene_.onWindowLevelDragged([this](WindowLevel wanted) {
        setWindow(wanted);
        applyDisplay(); // the next pointer move continues from here
    });
    scene_.onLegendDragged([this](LegendCorner corner) {
        session_.display.legend = corner;
        applyDisplay();
    });
}

LiveView::~LiveView() {
    tools_.setNotify(nullptr);
    scene_.setWaits(true);
    scene_.onWindowLevelDragged(nullptr);
    scene_.onLegendDragged(nullptr);
}

void LiveView::open(Loader::Begun begun, double frameTimeMilliseconds) {
    frameTimeMilliseconds_ = frameTimeMilliseconds;
    loader_.start(std::move(begun));
}

void LiveView::cancelLoading() { loader_.cancel(); }

void LiveView::adopt(std::shared_ptr<const OpenedSequence> opened) {
    left_.open(opened->scale);
    rightsTurn_.reset();
    for (SideEstimation* const other : {right_.get(), sinceFirst_.get()})
        if (other)
            other->open(opened->scale);
    comparer_.clear();
    session_.right = {};
    scene_.setResult(nullptr);
    scene_.setFrame(nullptr);
    session_.result.reset();
    session_.shownFrame = session_.paintedFrame = -1;
    session_.timing.clear();
    session_.profiles.clear();
    session_.marks = {};
    tools_.opened(*opened);
    session_.message.clear();
    endCycle();
    unreadable_.clear();

    stream_.reset();
    device_.close();
    framePool_.trim();
    if (estimatesOnDevice())
        device_.take(scene_.interopDevice().value_or(0));
    const Sequence& sequence = opened->sequence;
    const std::size_t budget = physicalBytes() / 4;
    const std::size_t frameBytes = sequence.geometry.voxels() * sizeof(float);
    framesFit_ = frameBytes <= budget / static_cast<std::size_t>(sequence.frames);
    stream_ = std::make_unique<FrameStream>(
        sequence, framesFit_ ? StreamMode::Preload : StreamMode::Newest, budget,
        device_.hostPool() ? *device_.hostPool() : framePool_);

    session_.timeGivenByUser = frameTimeMilliseconds_ > 0;
    asRead_ = std::make_shared<const Sequence>(sequence);
    session_.playback.setSequence(sequence);
    const bool another = session_.opened != nullptr;
    session_.opened = std::move(opened);
    const OpenedSequence& now = *session_.opened;
    scene_.setSequence(sequence, now.scale.low, now.scale.high, now.motionRange);
    showFresh(another);
}

void LiveView::setFrameTime(double milliseconds) {
    if (!session_.opened || !asRead_)
        return;
    auto changed = std::make_shared<OpenedSequence>(*session_.opened);
    session_.timeGivenByUser = milliseconds > 0;
    changed->sequence = milliseconds > 0 ? withFrameTime(*asRead_, milliseconds) : *asRead_;
    session_.playback.setTimes(changed->sequence);
    session_.opened = std::move(changed);
    // A window's parabolas are those of the times.
    for (MotionChoice* choice : {&session_.motion, &session_.compared})
        if (choice->window > 0)
            ++choice->revision;
}

MemoryReport LiveView::memory() const {
    MemoryReport report;
    report.hostTotal = physicalBytes();
    report.add("frames", MemorySpace::Host, framePool_.usage());
    report.add("estimation", session_.estimation.memory);
    if (right_)
        report.add("right side's estimation", session_.right.estimation.memory);
    if (sinceFirst_)
        report.add("motion since the first frame", session_.sinceFirst.memory);
    if (const std::optional<LiveDevice::Memory> frames = device_.memory()) {
        report.add("frames", MemorySpace::Device, frames->onDevice);
        report.add("frames", MemorySpace::Pinned, frames->pinned);
        report.residentFrames = frames->residentFrames;
    }
    const SceneMemory picture = scene_.memory();
    report.add("picture", MemorySpace::Host, picture.upload);
    report.textures = picture.textures;
    report.texturesOnDevice = picture.scratch.has_value();
    if (picture.scratch)
        report.add("picture", MemorySpace::Device, *picture.scratch);
    return report;
}

/// Clock, loader, motion, tools, scene.
LiveView::Changes LiveView::tick(double wallSeconds) {
    Changes changes;
    applyDisplay();
    load(changes);
    followMotion();
    if (session_.opened) {
        // Time for opening and for measuring doesn't count for the clock.
        const bool rests = changes.opened || tools_.needs().device;
        const std::uint64_t passed = session_.playback.advance(rests ? 0 : wallSeconds);
        if (passed > 0)
            stream_->countDropped(passed);
    }
    followTools();
    followFlicker(wallSeconds);
    showScene();
    changes.picture = drawIsDue_ = scene_.needsRender();
    if (!changes.picture)
        logNewest(); // it will not be drawn
    return changes;
}

void LiveView::load(Changes& changes) {
    if (const std::optional<Loader::Outcome> outcome = loader_.take()) {
        if (outcome->opened)
            adopt(outcome->opened);
        else
            session_.message = outcome->error;
        changes.opened = outcome->opened != nullptr;
        changes.failed = !changes.opened;
    }
    if (const std::optional<MotionRanges> ranges = loader_.takeRanges()) {
        auto known = std::make_shared<OpenedSequence>(*session_.opened);
        known->motionMeasured = true;
        known->motionRange = ranges->neighbors;
        known->motionRangeSinceFirst = ranges->sinceFirst;
        session_.opened = std::move(known);
    }
}

void LiveView::followMotion() {
    applyMotion();
    followDevice();
}

/// A picture of a tool takes the sequence's place; what was of the other is forgotten.
void LiveView::followTools() {
    tools_.follow(*this);
    if (!session_.opened)
        return;
    if (tools_.needs().frames && !framesFit_)
        session_.playback.pause(); // it would take the frames' places in the stream
    const bool before = shown_.picture.has_value();
    shown_ = tools_.contribution();
    session_.inPlace = shown_.picture ? shown_.picture->name : "";
    if (shown_.picture.has_value() == before)
        return;
    session_.result.reset();
    session_.right.result.reset();
    session_.right.comparison.reset();
    scene_.setResult(nullptr);
    scene_.setValues({});
    scene_.setSideBySide({});
    session_.shownFrame = -1; // the sequence's frame is shown again
    left_.forgetRequest();
    if (right_)
        right_->forgetRequest();
    rightsTurn_.reset();
}

void LiveView::showScene() {
    if (session_.opened) {
        followReference();
        if (shown_.picture) {
            showPicture();
        } else {
            showFrame();
            if (!showsGiven())
                requestMotion();
            showResult();
        }
    }
    followStatus();
    if (session_.opened) {
        if (!shown_.picture)
            showSides();
        scene_.setMarks(shown_.marks);
        showCycle();
        scene_.setSurface(shown_.surface, shown_.surfaceNote);
        scene_.setStrain(shown_.strain);
        scene_.setTracks(shown_.tracks, session_.shownFrame);
        session_.stream = stream_->counters();
    }
    if (session_.opened)
        scene_.setMotionNotes(shown_.picture ? MotionNotes{shown_.picture->note, {}, {}}
                                             : motionNotes(session_));
    session_.memory = memory();
    scene_.setInteractive(session_.playback.playing() || turning_);
}

std::vector<VoxelBox> LiveView::shownVoxels() const {
    return shownSlices(session_.display.layout, scene_.crosshair(),
                       session_.opened->sequence.geometry);
}

SideEstimation& LiveView::made(std::unique_ptr<SideEstimation>& estimation) {
    if (!estimation) {
        estimation = std::make_unique<SideEstimation>(pipelineOptions(notify_, 2, keepFields_));
        if (session_.opened)
            estimation->open(session_.opened->scale);
    }
    return *estimation;
}

std::shared_ptr<const FrameResult> LiveView::motionSinceFirst(int frame) {
    if (shown_.givesMotion())
        return frame > 0 ? shown_.motionOf(frame) : nullptr;
    const SideEstimation* const estimation =
        session_.motion.window > 0 ? &left_ : sinceFirst_.get();
    std::shared_ptr<const FrameResult> result = estimation ? estimation->resultFor(frame) : nullptr;
    const bool fits =
        result && result->sinceFirst && result->movingFrame == frame && result->window > 0;
    return fits ? result : nullptr;
}

std::shared_ptr<const Volume> LiveView::frame(int index) {
    if (unreadable_.count(index) > 0)
        return nullptr;
    try {
        return stream_->frame(index);
    } catch (const std::exception& error) {
        unreadable_.insert(index);
        session_.message = error.what();
        return nullptr;
    }
}

bool LiveView::estimatesOnDevice() const {
    return session_.motion.enabled &&
           (session_.motion.backend == Backend::Cuda ||
            (sideBySide(session_) && session_.compared.backend == Backend::Cuda));
}

/// Results on the estimation's device are drawn from there.
bool LiveView::showsFromDevice() const { return scene_.interopDevice() == device_.index(); }

/// Estimations on the device share its frames with the picture.
void LiveView::followDevice() {
    if (!session_.opened || !estimatesOnDevice())
        device_.close();
    else if (!device_.frames() && device_.take(scene_.interopDevice().value_or(0)))
        device_.open(session_.opened->sequence);
}

void LiveView::showFrame() {
    const int due = session_.playback.frame();
    if (due == session_.shownFrame)
        return;
    if (std::shared_ptr<const Volume> volume = frame(due)) {
        scene_.setFrame(volume, showsFromDevice() ? device_.frame(due, volume) : nullptr);
        session_.shownFrame = due;
    }
}

/// Motion waits for its scale, which follows from the sequence alone.
void LiveView::showResult() {
    if (!session_.opened->motionMeasured)
        return;
    const int frame = session_.playback.frame();
    const bool given = shown_.givesMotion();
    const bool reference = !given && isReference(session_.motion, frame);
    std::shared_ptr<const FrameResult> result = given       ? shown_.motionOf(frame)
                                                : reference ? nullptr
                                                            : left_.resultFor(frame);
    // The last good field stays until new settings have their first one. Side by side, the view
    // always matches the settings that it names.
    if (!result && !reference && session_.motion.enabled && !sideBySide(session_))
        return;
    if (result == session_.result || (!given && left_.isAhead(result.get(), frame)))
        return;
    session_.result = result;
    session_.resultChoice = session_.motion; // results of other choices are forgotten
    scene_.setResult(std::move(result));
}

/// The right side shows the motion of the same frame as the left side, or none.
void LiveView::showSides() {
    ComparedMotion& right = session_.right;
    const std::shared_ptr<const FrameResult> before = std::exchange(right.result, nullptr);
    right.comparison.reset();
    if (!sideBySide(session_)) {
        scene_.setSideBySide({});
        return;
    }
    if (right_ && session_.result)
        right.result = right_->resultFor(session_.result->pictureFrame());
    if (right.result && right.result->pictureFrame() != session_.result->pictureFrame())
        right.result.reset();
    if (right.result != before)
        right.resultChoice = session_.compared;
    if (right.result && session_.result->field && right.result->field &&
        comparable(*session_.result, *right.result))
        right.comparison = comparer_.find(session_.result, right.result);
    scene_.setSideBySide(sidesOf(session_));
}

double LiveView::secondsToNextTick() const {
    const bool edited = !(session_.display == scene_.display()) || session_.lookAt ||
                        !sidesFollow() ||
                        (session_.opened && !shown_.picture && session_.cycle.on != cycleRuns());
    if (edited)
        return 0;
    double seconds = std::min(
        {session_.playback.secondsToChange(), tools_.secondsToNextTick(), secondsToFlicker()});
    if (session_.opened && !shown_.picture) {
        const int due = session_.playback.frame();
        const bool frameMissing = due != session_.shownFrame && readable(due);
        const int next = session_.playback.successor(due);
        const bool jump = !session_.playback.playing();
        const bool asked = !left_.lacks(due, jump) && !(right_ && right_->lacks(due, jump));
        const bool pairMissing =
            showsGiven()  ? false
            : cycleRuns() ? cycleAwaitsFrame_
                          : stepAwaitsFrame_ || (!asked && next >= 0 &&
                                                 due == session_.shownFrame && readable(next));
        if (frameMissing || pairMissing)
            seconds = std::min(seconds, retrySeconds);
    }
    // A draw that is due shows what was made; a window that can't be seen may draw much later.
    if (scene_.unfinished() && !drawIsDue_)
        seconds = std::min(seconds, retrySeconds);
    // While a tool measures only its progress changes, and it reports that.
    return tools_.needs().device ? std::max(seconds, 0.2) : seconds;
}

} // namespace systole
