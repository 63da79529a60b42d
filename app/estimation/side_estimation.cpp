#include "app/estimation/side_estimation.h"

#include <utility>

namespace systole {

void SideEstimation::open(IntensityScale scale) {
    pipeline_.open(scale);
    forgetRequest();
    taken_.reset();
}

bool SideEstimation::follows(const EstimationSettings& settings) const {
    return applied_ && applied_->matches(settings);
}

bool SideEstimation::follow(const MotionChoice& choice, EstimationSettings settings) {
    if (follows(settings))
        return false;
    const bool otherStart = applied_ && applied_->warmStart != settings.warmStart;
    settings.make = estimatorMaker(*choice.method, choice.parameters);
    settings.refine = refinerMaker(*choice.method, choice.parameters);
    settings.startError = choice.method->startError;
    settings.errors = errorsOf(*choice.method, choice.parameters);
    settings.parameters = choice.parameters;
    applied_ = settings;
    forgetRequest();
    return pipeline_.setSettings(std::move(settings)) || otherStart;
}

bool SideEstimation::lacks(int fixedFrame, bool jump) const {
    return applied_ && applied_->enabled && applied_->window == 0 &&
           (fixedFrame != requestedFrame_ || jump != requestedAsJump_) &&
           (fixedFrame != aheadFrame_ || jump);
}

void SideEstimation::request(FramePair pair, bool jump) {
    requestedFrame_ = pair.fixedFrame;
    requestedAsJump_ = jump;
    aheadFrame_ = -1;
    pipeline_.request(std::move(pair), jump);
}

void SideEstimation::requestAhead(FramePair pair, int shownFrame) {
    requestedFrame_ = shownFrame;
    requestedAsJump_ = false;
    aheadFrame_ = pair.fixedFrame;
    pipeline_.request(std::move(pair), false);
}

bool SideEstimation::idle() const {
    const PipelineStatus now = pipeline_.status();
    return now.estimatingFrame < 0 && now.waitingFrame < 0;
}

void SideEstimation::requestForCache(FramePair pair) {
    pipeline_.request(std::move(pair), false, FieldStart::Zero);
}

std::optional<int> SideEstimation::wantedStep(int frames, WindowQueue::Shown shown) {
    if (!applied_ || !applied_->enabled || applied_->window == 0)
        return std::nullopt;
    return window_.next(pipeline_.status(), frames, applied_->window, shown);
}

void SideEstimation::requestStep(WindowStep step) {
    window_.requested(step.pair.movingFrame);
    pipeline_.requestStep(std::move(step));
}

std::shared_ptr<const FrameResult> SideEstimation::resultFor(int frame) const {
    return pipeline_.resultFor(frame);
}

std::shared_ptr<const FrameResult> SideEstimation::takeNewest() {
    std::shared_ptr<const FrameResult> newest = pipeline_.newest();
    return newest == taken_ ? nullptr : taken_ = newest;
}

} // namespace systole
