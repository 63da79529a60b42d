#include "app/live/live_view.h"

#include "app/lab/library.h"
#include "app/live/comparison.h"
#include "app/live/motion_note.h"
#include "app/tuning/autotuner.h"
#include "compute/core/error.h"
#include "compute/core/machine.h"
#include "compute/cuda/device.h"
#include "io/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace systole {
namespace {

constexpr double retrySeconds = 0.01; ///< while a frame is being decoded
constexpr double framesShare = 0.4;   ///< fraction of device memory; estimations have their own

/// Limits are 1/`part` of those of a single estimation.
PipelineOptions pipelineOptions(std::function<void()> notify, std::size_t part) {
    PipelineOptions options;
    options.threads = estimationThreads();
    options.cacheBytes = physicalBytes() / 8 / part;
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

LiveView::LiveView(Session& session, Scene& scene, std::function<void()> notify)
    : session_(session)
    , scene_(scene)
    , framePool_(physicalBytes() / 2)
    , device_(framesShare, physicalBytes() / 2)
    , notify_(std::move(notify))
    , left_(pipelineOptions(notify_, 1))
    , comparer_(physicalBytes() / 16, notify_)
    , loader_(notify_)
    , lab_(notify_)
    , registration_(notify_)
    , bias_(notify_)
    , segment_(notify_)
    , landmarks_(notify_)
    , wall_(notify_)
    , surface_(notify_) {
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
    scene_.onWindowLevelDragged(nullptr);
    scene_.onLegendDragged(nullptr);
}

void LiveView::open(std::vector<std::string> paths, OpenOptions options) {
    frameTimeMilliseconds_ = options.frameTimeMilliseconds;
    loader_.start(std::move(paths), options);
}

void LiveView::cancelLoading() { loader_.cancel(); }

void LiveView::adopt(std::shared_ptr<const OpenedSequence> opened) {
    left_.open(opened->scale);
    if (right_)
        right_->open(opened->scale);
    comparer_.clear();
    session_.right = {};
    scene_.setResult(nullptr);
    scene_.setFrame(nullptr);
    session_.result.reset();
    session_.shownFrame = -1;
    session_.timing.clear();
    session_.profiles.clear();
    session_.marks = {};
    registration_.forget(session_.registration);
    bias_.forget(session_.bias);
    segment_.forget(session_.segment);
    landmarks_.forget(session_);
    wall_.forget();
    surface_.forget(session_.surface);
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
    if (another) {
        SurfaceChoice none;
        none.revision = session_.surface.choice.revision + 1;
        session_.surface.choice = none;
    }
    session_.registration.movingFrame = std::max(1, sequence.frames / 3); // near the end of systole
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
    if (const std::optional<LiveDevice::Memory> frames = device_.memory()) {
        report.add("frames", MemorySpace::Device, frames->onDevice);
        report.add("frames", MemorySpace::Pinned, frames->pinned);
        report.residentFrames = frames->residentFrames;
    }
    const SceneMemory picture = scene_.memory();
    report.textures = picture.textures;
    report.texturesOnDevice = picture.scratch.has_value();
    if (picture.scratch)
        report.add("picture", MemorySpace::Device, *picture.scratch);
    return report;
}

LiveView::Changes LiveView::tick(double wallSeconds) {
    Changes changes;
    applyDisplay();
    if (std::optional<Loader::Outcome> outcome = loader_.take()) {
        if (outcome->opened)
            adopt(outcome->opened);
        else
            session_.message = outcome->error;
        changes.opened = outcome->opened != nullptr;
        changes.failed = !changes.opened;
    }
    lab_.follow(session_.lab);
    applyMotion();
    followDevice();
    followReference();
    if (session_.opened) {
        // Time for opening and for measuring doesn't count for the clock.
        const bool rests = changes.opened || session_.lab.holdsDevice();
        const std::uint64_t passed = session_.playback.advance(rests ? 0 : wallSeconds);
        if (passed > 0)
            stream_->countDropped(passed);
        followRegistration();
        followBias();
        followLandmarks(); // first: it takes the pointer when that is its own
        followSegmentation();
        followWall(); // last: of what both have found
        showMarks();
        if (session_.registration.shown) {
            showRegistration();
            scene_.setSurface(nullptr);
            scene_.setTracks(nullptr, 0);
        } else {
            showFrame();
            requestMotion();
            showResult();
            showSides();
            showSurface();
            showLandmarks();
        }
        session_.stream = stream_->counters();
    }
    session_.estimation = left_.status();
    if (right_)
        session_.right.estimation = right_->status();
    if (session_.opened)
        scene_.setMotionNotes(session_.registration.shown ? MotionNotes{} : motionNotes(session_));
    session_.memory = memory();
    scene_.setInteractive(session_.playback.playing() || turning_);
    changes.picture = scene_.needsRender();
    if (!changes.picture)
        logNewest(); // it will not be drawn
    return changes;
}

SideEstimation& LiveView::rightEstimation() {
    if (!right_) {
        right_ = std::make_unique<SideEstimation>(pipelineOptions(notify_, 2));
        if (session_.opened)
            right_->open(session_.opened->scale);
    }
    return *right_;
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

/// Motion since the first frame is longer than motion from frame to frame, and a registration's has
/// a length of its own.
void LiveView::followReference() {
    if (!session_.opened)
        return;
    const RegistrationSession& registration = session_.registration;
    if (registration.shown && registration.figures)
        scene_.setMotionRange(registration.figures->figures->longest);
    else
        scene_.setMotionRange(session_.motion.window > 0 ? session_.opened->motionRangeSinceFirst
                                                         : session_.opened->motionRange);
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

void LiveView::showResult() {
    const int frame = session_.playback.frame();
    const bool reference = isReference(session_.motion, frame);
    std::shared_ptr<const FrameResult> result = reference ? nullptr : left_.resultFor(frame);
    // Until new settings have their first field, the last good one stays; but side by side, the
    // view always matches the settings that it names.
    if (!result && !reference && session_.motion.enabled && !sideBySide(session_))
        return;
    if (result == session_.result)
        return;
    session_.result = result;
    session_.resultChoice = session_.motion; // what was estimated with other choices is forgotten
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
    double seconds = session_.playback.secondsToChange();
    if (session_.registration.shown)
        seconds = std::min(seconds, registration_.secondsToNextTick(session_.registration));
    else if (session_.opened) {
        const int due = session_.playback.frame();
        const bool frameMissing = due != session_.shownFrame && unreadable_.count(due) == 0;
        const int next = session_.playback.successor(due);
        const bool jump = !session_.playback.playing();
        const bool asked = !left_.lacks(due, jump) && !(right_ && right_->lacks(due, jump));
        const bool pairMissing =
            cycleRuns() ? cycleAwaitsFrame_
                        : stepAwaitsFrame_ || (!asked && next >= 0 && due == session_.shownFrame &&
                                               unreadable_.count(next) == 0);
        if (frameMissing || pairMissing || surface_.awaitsFrame())
            seconds = std::min(seconds, retrySeconds);
    }
    seconds = std::min({seconds, bias_.secondsToNextTick(session_.bias),
                        segment_.secondsToNextTick(session_.segment),
                        landmarks_.secondsToNextTick(session_.landmarks),
                        wall_.secondsToNextTick(session_)});
    const bool edited =
        !(session_.display == scene_.display()) || session_.wantedCrosshair || !sidesFollow() ||
        !lab_.follows(session_.lab) || session_.registration.wantedStart ||
        session_.registration.wantedStop || session_.registration.shown != registrationShown_ ||
        !registration_.follows(session_.registration) ||
        (session_.opened &&
         (session_.cycle.wanted != cycleRuns() || !surface_.follows(session_.surface)));
    // During kernel measurements only their progress changes, and the worker reports it.
    return edited ? 0 : session_.lab.holdsDevice() ? std::max(seconds, 0.2) : seconds;
}

} // namespace systole
