#include "app/live_view.h"

#include "compute/core/error.h"
#include "io/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unistd.h>
#include <utility>

namespace systole {
namespace {

constexpr double retrySeconds = 0.01; ///< while a frame is being decoded

std::size_t physicalBytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long pageBytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || pageBytes <= 0)
        return std::size_t{4} << 30;
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(pageBytes);
}

PipelineOptions pipelineOptions(std::function<void()> notify) {
    PipelineOptions options;
    options.threads = estimationThreads();
    options.cacheBytes = physicalBytes() / 8;
    options.poolBytes = physicalBytes() / 2;
    options.notify = std::move(notify);
    return options;
}

EstimationSettings settingsOf(const MotionChoice& choice) {
    EstimationSettings settings;
    settings.enabled = choice.enabled;
    settings.keepEstimating = choice.keepEstimating;
    settings.backend = choice.backend;
    settings.make = [make = choice.method->make, parameters = choice.parameters](Backend backend) {
        return make(parameters, backend);
    };
    return settings;
}

Sequence withFrameTime(Sequence sequence, double milliseconds) {
    sequence.timesSeconds.clear();
    for (int frame = 0; frame < sequence.frames; ++frame)
        sequence.timesSeconds.push_back(frame * milliseconds / 1000);
    sequence.closingSeconds = milliseconds / 1000;
    return sequence;
}

} // namespace

LiveView::LiveView(Session& session, Scene& scene, std::function<void()> notify)
    : session_(session)
    , scene_(scene)
    , framePool_(physicalBytes() / 2)
    , appliedDisplay_(scene.display())
    , pipeline_(pipelineOptions(notify))
    , loader_(notify) {
    session_.estimationThreads = estimationThreads();
    appliedRevision_ = session_.motion.revision - 1; // not yet applied
}

LiveView::~LiveView() = default;

void LiveView::open(std::vector<std::string> paths, OpenOptions options) {
    frameTimeMilliseconds_ = options.frameTimeMilliseconds;
    loader_.start(std::move(paths), options);
}

void LiveView::cancelLoading() { loader_.cancel(); }

void LiveView::adopt(std::shared_ptr<const OpenedSequence> opened) {
    pipeline_.open(opened->scale);
    scene_.setResult(nullptr);
    scene_.setFrame(nullptr);
    session_.result.reset();
    session_.shownFrame = -1;
    session_.timing.clear();
    session_.marks = {};
    session_.message.clear();
    logged_.reset();
    unreadable_.clear();
    requestedFrame_ = -1;

    stream_.reset();
    framePool_.trim();
    const Sequence& sequence = opened->sequence;
    const std::size_t budget = physicalBytes() / 4;
    const std::size_t frameBytes = sequence.geometry.voxels() * sizeof(float);
    const bool fits = frameBytes <= budget / static_cast<std::size_t>(sequence.frames);
    stream_ = std::make_unique<FrameStream>(
        sequence, fits ? StreamMode::Preload : StreamMode::Newest, budget, framePool_);

    session_.timeGivenByUser = frameTimeMilliseconds_ > 0;
    asRead_ = std::make_shared<const Sequence>(sequence);
    session_.playback.setSequence(sequence);
    session_.opened = std::move(opened);
    scene_.setSequence(sequence, session_.opened->scale.low, session_.opened->scale.high);
    session_.display = appliedDisplay_ = scene_.display();
}

void LiveView::setFrameTime(double milliseconds) {
    if (!session_.opened || !asRead_)
        return;
    auto changed = std::make_shared<OpenedSequence>(*session_.opened);
    session_.timeGivenByUser = milliseconds > 0;
    changed->sequence = milliseconds > 0 ? withFrameTime(*asRead_, milliseconds) : *asRead_;
    session_.playback.setTimes(changed->sequence);
    session_.opened = std::move(changed);
}

LiveView::Changes LiveView::tick(double wallSeconds) {
    Changes changes;
    applyDisplay(); // before a new sequence, which changes the display itself
    if (std::optional<Loader::Outcome> outcome = loader_.take()) {
        if (outcome->opened)
            adopt(outcome->opened);
        else
            session_.message = outcome->error;
        changes.opened = outcome->opened != nullptr;
        changes.failed = !changes.opened;
    }
    applyMotion();
    if (session_.opened) {
        // Opening took its own time, which is none of the clock's.
        const std::uint64_t passed = session_.playback.advance(changes.opened ? 0 : wallSeconds);
        if (passed > 0)
            stream_->countDropped(passed);
        showFrame();
        requestMotion();
        showResult();
        session_.stream = stream_->counters();
    }
    session_.estimation = pipeline_.status();
    scene_.setInteractive(session_.playback.playing() || turning_);
    changes.picture = scene_.needsRender();
    if (!changes.picture)
        logNewest(); // no draw of it will come
    return changes;
}

void LiveView::applyDisplay() {
    if (!(session_.display == appliedDisplay_))
        scene_.setDisplay(session_.display);
    // The scene changes window and level itself when they are dragged.
    session_.display = appliedDisplay_ = scene_.display();
}

void LiveView::applyMotion() {
    const MotionChoice& motion = session_.motion;
    const bool sameField = motion.revision == appliedRevision_;
    if (sameField && motion.enabled == appliedEnabled_ && motion.keepEstimating == appliedKeep_)
        return;
    pipeline_.setSettings(settingsOf(motion), sameField);
    appliedRevision_ = motion.revision;
    appliedEnabled_ = motion.enabled;
    appliedKeep_ = motion.keepEstimating;
    requestedFrame_ = -1;
    if (!sameField)
        session_.timing.clear();
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

void LiveView::showFrame() {
    const int due = session_.playback.frame();
    if (due == session_.shownFrame)
        return;
    if (std::shared_ptr<const Volume> volume = frame(due)) {
        scene_.setFrame(std::move(volume));
        session_.shownFrame = due;
    }
}

void LiveView::requestMotion() {
    const Playback& playback = session_.playback;
    const int fixedFrame = playback.frame();
    const int movingFrame = playback.successor(fixedFrame);
    const bool jump = !playback.playing();
    if (!session_.motion.enabled || movingFrame < 0 || fixedFrame != session_.shownFrame)
        return;
    if (fixedFrame == requestedFrame_ && jump == requestedAsJump_)
        return;
    FramePair pair{frame(fixedFrame), frame(movingFrame), fixedFrame, movingFrame};
    if (!pair.fixed || !pair.moving)
        return;
    pipeline_.request(std::move(pair), jump);
    requestedFrame_ = fixedFrame;
    requestedAsJump_ = jump;
}

void LiveView::showResult() {
    std::shared_ptr<const FrameResult> result = pipeline_.resultFor(session_.playback.frame());
    // Until new settings have their first field, the last good one stays.
    if (!result && session_.motion.enabled)
        return;
    if (result == session_.result)
        return;
    session_.result = result;
    scene_.setResult(std::move(result));
}

double LiveView::secondsToNextTick() const {
    double seconds = session_.playback.secondsToChange();
    if (session_.opened) {
        const int due = session_.playback.frame();
        const bool frameMissing = due != session_.shownFrame && unreadable_.count(due) == 0;
        const int next = session_.playback.successor(due);
        const bool pairMissing = session_.motion.enabled && next >= 0 &&
                                 due == session_.shownFrame && requestedFrame_ != due &&
                                 unreadable_.count(next) == 0;
        if (frameMissing || pairMissing)
            seconds = std::min(seconds, retrySeconds);
    }
    const bool edited = !(session_.display == appliedDisplay_) ||
                        session_.motion.revision != appliedRevision_ ||
                        session_.motion.enabled != appliedEnabled_ ||
                        session_.motion.keepEstimating != appliedKeep_;
    return edited ? 0 : seconds;
}

void LiveView::painted(RateMeter::Clock::time_point now) {
    paints_.add(now);
    DisplayFigures& figures = session_.figures;
    ++figures.painted;
    figures.framesPerSecond = paints_.perSecond(now);
    figures.software = scene_.isSoftware();
    figures.renderer = scene_.rendererName();
    figures.uploadPath = scene_.uploadPath();
    figures.colorMaximum = scene_.colorMaximum();
    figures.activePreset = scene_.activePreset();

    logNewest();
}

void LiveView::logNewest() {
    const std::shared_ptr<const FrameResult> newest = pipeline_.newest();
    if (!newest || newest == logged_)
        return;
    const SceneTimes times = scene_.times();
    session_.timing.add(timingSample(*newest, session_.stream.lastReadSeconds,
                                     times.fieldToGlSeconds, times.fieldToGlBytes,
                                     times.renderSeconds));
    logged_ = newest;
}

} // namespace systole
