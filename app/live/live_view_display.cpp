// The display options that the live view passes to its scene, and the figures of its pictures.
#include "app/live/comparison.h"
#include "app/live/live_view.h"

#include <utility>

namespace systole {

void LiveView::setWindow(WindowLevel wanted) {
    session_.display.window = wanted.window;
    session_.display.level = wanted.level;
}

void LiveView::applyDisplay() {
    if (!(session_.display.window > 0))
        setWindow(scene_.automaticWindow());
    scene_.setDisplay(session_.display);
    if (session_.wantedCrosshair)
        scene_.setCrosshair(*std::exchange(session_.wantedCrosshair, std::nullopt));
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
    figures.colorMaximum = scene_.colorMaximum();
    figures.activePreset = scene_.activePreset();
    logNewest();
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
