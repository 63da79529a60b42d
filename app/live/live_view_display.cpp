// The display options and pictures that the live view passes to its scene, and the figures of its
// pictures.
#include "app/live/live_view.h"
#include "app/session/comparison.h"
#include "render/overlays/rows.h"
#include "render/window_presets.h"

#include <cmath>
#include <utility>

namespace systole {
namespace {

constexpr double secondsAnImage = 0.4; ///< duration of one image of flickering overlays

} // namespace

void LiveView::setWindow(WindowLevel wanted) {
    session_.display.window = wanted.window;
    session_.display.level = wanted.level;
}

/// A locked scale is one in numbers: they stay when another sequence is opened.
void LiveView::followLock() {
    DisplayOptions& display = session_.display;
    if (!session_.opened || !session_.opened->motionMeasured ||
        std::exchange(locked_, display.lockScale) == display.lockScale)
        return;
    const DisplayScale& now = scene_.scale();
    const auto fix = [&](const char* id, double automatic) {
        const DisplayRow& row = displayRow(id);
        if (!display.lockScale)
            row.set(display, 0.0);
        else if (!(row.real(display) > 0))
            row.set(display, automatic);
    };
    fix("color-maximum", now.motion);
    fix("difference-maximum", now.difference);
    fix("arrow-scale", now.arrows);
    fix("grid-scale", now.grid());
}

void LiveView::applyDisplay() {
    followLock();
    if (!(session_.display.window > 0))
        setWindow(scene_.automaticWindow(session_.display));
    scene_.setDisplay(session_.display);
    session_.figures.colorMaximum = scene_.colorMaximum();
    session_.figures.differenceMaximum = scene_.differenceMaximum();
    session_.figures.arrowScale = scene_.scale().arrows;
    session_.figures.modality = scene_.modality();
    if (session_.lookAt)
        scene_.setCrosshair(*std::exchange(session_.lookAt, std::nullopt));
    session_.figures.crosshair = scene_.crosshair();
}

void LiveView::showPicture() {
    const SceneContribution::Picture& picture = *shown_.picture;
    if (picture.volume || picture.onDevice) {
        scene_.setFrame(picture.volume, picture.onDevice, picture.boxes);
        scene_.setValues(picture.values);
        session_.shownFrame = picture.frame;
    }
    scene_.setResult(picture.motion);
}

/// Updates the status before labels are made of it: at rest, no later tick may come to renew them.
void LiveView::followStatus() {
    session_.estimation = left_.status();
    if (right_)
        session_.right.estimation = right_->status();
    if (sinceFirst_)
        session_.sinceFirst = sinceFirst_->status();
}

/// Motion since the first frame is longer than motion from frame to frame, and a tool's picture has
/// a length of its own.
void LiveView::followReference() {
    if (shown_.picture && shown_.picture->motionRange)
        scene_.setMotionRange(*shown_.picture->motionRange);
    else
        scene_.setMotionRange(session_.motion.window > 0 || shown_.givesMotion()
                                  ? session_.opened->motionRangeSinceFirst
                                  : session_.opened->motionRange);
}

/// Switches between the images of flickering overlays by wall-clock time, also at rest.
void LiveView::followFlicker(double wallSeconds) {
    const bool on = session_.opened && flickers(session_.display);
    flickerSeconds_ = on ? std::fmod(flickerSeconds_ + wallSeconds, 2 * secondsAnImage) : 0;
    scene_.flicker(flickerSeconds_ >= secondsAnImage);
}

double LiveView::secondsToFlicker() const {
    return session_.opened && flickers(session_.display)
               ? secondsAnImage - std::fmod(flickerSeconds_, secondsAnImage)
               : Tool::never;
}

/// Forgets choices that belonged to the previous sequence; `another`: there was one.
void LiveView::showFresh(bool another) {
    DisplayOptions& display = session_.display;
    display.window = 0;
    if (another)
        display.modality = "auto";
    applyDisplay();
    if (another && !suits(windowPreset(display.windowPreset), scene_.modality())) {
        display.windowPreset = "auto";
        display.window = 0;
        applyDisplay();
    }
}

std::vector<std::shared_ptr<const FrameResult>>
LiveView::motionsOf(const SideEstimation& side) const {
    std::vector<std::shared_ptr<const FrameResult>> motions;
    for (int frame = 0; session_.opened && frame < session_.opened->sequence.frames; ++frame)
        if (auto motion = side.resultFor(frame); motion && motion->pictureFrame() == frame)
            motions.push_back(std::move(motion));
    return motions;
}

std::vector<std::shared_ptr<const FrameResult>> LiveView::motions() const {
    return shown_.givesMotion() ? shown_.motions : motionsOf(left_);
}

/// Only while something shows it: the scene holds on to these fields.
void LiveView::showCycle() {
    if (!readsCycle(session_.display) || shown_.picture)
        return scene_.setCycle({});
    const bool sides = sideBySide(session_) && right_;
    scene_.setCycle(motions(),
                    sides ? motionsOf(*right_) : std::vector<std::shared_ptr<const FrameResult>>{});
}

void LiveView::painted(RateMeter::Clock::time_point now) {
    paints_.add(now);
    DisplayFigures& figures = session_.figures;
    ++figures.painted;
    figures.framesPerSecond = paints_.perSecond(now);
    figures.software = scene_.isSoftware();
    figures.renderer = scene_.rendererName();
    figures.uploadPath = scene_.uploadPath();
    figures.uploadReason = scene_.uploadReason();
    figures.activePreset = scene_.activePreset();
    logNewest();
    session_.paintedFrame = session_.shownFrame;
    if (session_.opened && !shown_.picture && !showsGiven() && !cycleRuns())
        requestAhead();
    if (const int next = upcomingFrame(); next >= 0)
        scene_.prepareFrame(stream_->peek(next));
    if (scene_.unfinished()) // another draw is due when it is there
        notify_();
}

void LiveView::logNewest() {
    const SceneTimes times = scene_.times();
    const auto log = [&](SideEstimation& side, const MotionChoice& choice, TimingLog& timing) {
        std::shared_ptr<const FrameResult> newest = side.takeNewest();
        if (!newest)
            return newest;
        TimingSample sample = timingSample(*newest, frameStages(*choice.method),
                                           {session_.stream.lastReadSeconds, times.fieldToGlSeconds,
                                            times.fieldToGlBytes, times.renderSeconds});
        sample.toDeviceBytes += static_cast<double>(device_.takeUploadedBytes());
        timing.add(sample);
        return newest;
    };
    if (const auto finished = log(left_, session_.motion, session_.timing))
        session_.profiles.add(*finished);
    if (right_)
        log(*right_, session_.compared, session_.right.timing);
}

} // namespace systole
