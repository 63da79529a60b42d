#include "app/estimation/side_estimation.h"

#include <utility>

namespace systole {

void SideEstimation::open(IntensityScale scale) {
    pipeline_.open(scale);
    requestedFrame_ = -1;
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
    applied_ = settings;
    requestedFrame_ = -1;
    return pipeline_.setSettings(std::move(settings)) || otherStart;
}

bool SideEstimation::lacks(int fixedFrame, bool jump) const {
    return applied_ && applied_->enabled &&
           (fixedFrame != requestedFrame_ || jump != requestedAsJump_);
}

void SideEstimation::request(FramePair pair, bool jump) {
    requestedFrame_ = pair.fixedFrame;
    requestedAsJump_ = jump;
    pipeline_.request(std::move(pair), jump);
}

void SideEstimation::requestForCache(FramePair pair) {
    pipeline_.request(std::move(pair), false, FieldStart::Zero);
}

std::shared_ptr<const FrameResult> SideEstimation::resultFor(int fixedFrame) const {
    return pipeline_.resultFor(fixedFrame);
}

std::shared_ptr<const FrameResult> SideEstimation::takeNewest() {
    std::shared_ptr<const FrameResult> newest = pipeline_.newest();
    return newest == taken_ ? nullptr : taken_ = newest;
}

} // namespace systole
