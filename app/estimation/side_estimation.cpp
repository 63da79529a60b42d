#include "app/estimation/side_estimation.h"

#include <utility>

namespace systole {
namespace {

EstimationSettings settingsOf(const MotionChoice& choice,
                              const EstimationLane::Conditions& conditions) {
    EstimationSettings settings;
    settings.enabled = conditions.enabled;
    settings.keepEstimating = conditions.keepEstimating;
    settings.warmStart = conditions.warmStart;
    settings.threads = conditions.threads;
    settings.downloadFields = conditions.downloadFields;
    settings.profileKernels = conditions.profileKernels;
    settings.tuning = conditions.tuning;
    settings.backend = choice.backend;
    settings.make = [make = choice.method->make, parameters = choice.parameters](Backend backend) {
        return make(parameters, backend);
    };
    return settings;
}

} // namespace

void EstimationLane::open(IntensityScale scale) {
    pipeline_.open(scale);
    requestedFrame_ = -1;
    taken_.reset();
}

bool EstimationLane::follows(const MotionChoice& choice, const Conditions& conditions) const {
    return appliedRevision_ == choice.revision && applied_ == conditions;
}

bool EstimationLane::follow(const MotionChoice& choice, const Conditions& conditions) {
    if (follows(choice, conditions))
        return false;
    // What followed another pair's field depends on which was estimated before; what started from
    // zero serves anywhere.
    const bool sameField =
        appliedRevision_ == choice.revision && (conditions.warmStart || !applied_.warmStart);
    pipeline_.setSettings(settingsOf(choice, conditions), sameField);
    appliedRevision_ = choice.revision;
    applied_ = conditions;
    requestedFrame_ = -1;
    return !sameField;
}

bool EstimationLane::lacks(int fixedFrame, bool jump) const {
    return applied_.enabled && (fixedFrame != requestedFrame_ || jump != requestedAsJump_);
}

void EstimationLane::request(FramePair pair, bool jump) {
    requestedFrame_ = pair.fixedFrame;
    requestedAsJump_ = jump;
    pipeline_.request(std::move(pair), jump);
}

std::shared_ptr<const FrameResult> EstimationLane::resultFor(int fixedFrame) const {
    return pipeline_.resultFor(fixedFrame);
}

std::shared_ptr<const FrameResult> EstimationLane::takeNewest() {
    std::shared_ptr<const FrameResult> newest = pipeline_.newest();
    return newest == taken_ ? nullptr : taken_ = newest;
}

} // namespace systole
