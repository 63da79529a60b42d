#include "compute/motion/sequence_driver.h"

#include "compute/core/error.h"
#include "compute/ops/reduce.h"
#include "compute/ops/resample.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace systole {

IntensityScale intensityScale(const Sequence& sequence, const ExecContext& ctx, int sampleFrames) {
    const int frames = std::max(1, std::min(sampleFrames, sequence.frames));
    Buffer<float> frame = ctx.pool->acquire<float>(sequence.geometry.voxels(), "intensity range");
    // The percentiles of each frame looked at, averaged: frames of one sequence share their scale.
    double low = 0, high = 0;
    for (int n = 0; n < frames; ++n) {
        ctx.throwIfCancelled();
        const VolumeView<float> view(frame.data(), sequence.geometry.size());
        sequence.source->read(n * sequence.frames / frames, view);
        const std::vector<float> q = quantiles(view, {0.01, 0.99, 1});
        // A picture that is background almost everywhere has its range in what is left.
        low += static_cast<double>(q[0]) / frames;
        high += static_cast<double>(q[1] > q[0] ? q[1] : q[2]) / frames;
    }
    IntensityScale scale{static_cast<float>(low), static_cast<float>(high)};
    if (!(scale.high > scale.low))
        scale.high = scale.low + std::max(1.0f, std::abs(scale.low) * 1e-3f);
    return scale;
}

SequenceDriver::SequenceDriver(std::unique_ptr<MotionEstimator> estimator, ReferenceMode mode,
                               IntensityScale scale)
    : estimator_(std::move(estimator)), mode_(mode), scale_(scale) {}

void SequenceDriver::setIncompressibility(std::shared_ptr<const Volume> weight) {
    incompressibility_ = std::move(weight);
}

void SequenceDriver::reset() { start_.reset(); }

FrameResult SequenceDriver::estimate(std::shared_ptr<const Volume> fixed, int fixedFrame,
                                     std::shared_ptr<const Volume> moving, int movingFrame,
                                     const ExecContext& ctx) {
    if (!fixed->geometry.matches(moving->geometry))
        throw ComputeError(
            fmt::format("frames {} and {} don't lie on one grid", fixedFrame, movingFrame));
    if (incompressibility_ && incompressibility_->geometry.size() != fixed->geometry.size())
        throw ComputeError("the volume-preservation weight must have the size of the frames");
    const auto begin = std::chrono::steady_clock::now();
    KernelProfile ownProfile(1);
    ExecContext inner = ctx;
    if (!inner.profile)
        inner.profile = &ownProfile;
    inner.profile->beginFrame(fixedFrame);

    auto field = std::make_shared<VectorField>(fixed->geometry, *ctx.pool, "motion of a frame");
    // Between neighbouring frames tissue keeps its speed: the last pair's field is the best guess,
    // as the last frame's is when all frames refer to one. After a jump there is none.
    const bool follows =
        start_ && start_->geometry.matches(fixed->geometry) &&
        startFixedFrame_ == (mode_ == ReferenceMode::First ? fixedFrame : fixedFrame - 1);
    if (follows)
        std::copy_n(start_->components.data(), start_->components.size(), field->components.data());
    else
        std::fill_n(field->components.data(), field->components.size(), 0.0f);

    MotionInput input;
    input.fixed = fixed->view();
    input.moving = moving->view();
    input.spacing = fixed->geometry.spacing();
    input.scale = scale_;
    if (incompressibility_)
        input.incompressibility = incompressibility_->view();
    report_ = estimator_->estimate(input, field->view(), inner);

    auto warped = std::make_shared<Volume>(fixed->geometry, *ctx.pool, "warped frame of a result");
    warped->timeSeconds = moving->timeSeconds;
    warpVolume(moving->view(), field->view(), warped->view(), {}, inner);

    FrameResult result;
    result.fixedFrame = fixedFrame;
    result.movingFrame = movingFrame;
    result.fixed = std::move(fixed);
    result.moving = std::move(moving);
    result.field = field;
    result.warped = std::move(warped);
    result.profile = inner.profile->endFrame();
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.sweeps = report_.sweeps;
    result.energy = report_.energy;
    result.backend = ctx.backend;
    start_ = std::move(field);
    startFixedFrame_ = fixedFrame;
    return result;
}

void composeInto(VectorField& total, const VectorField& step, const ExecContext& ctx) {
    if (!total.geometry.matches(step.geometry))
        throw ComputeError("fields to be composed must lie on one grid");
    VectorField composed(total.geometry, *ctx.pool, "Lagrangian motion");
    // total(p) + step(p + total(p)): composeFields adds its second argument and samples its first
    // there.
    composeFields(step.view(), total.view(), composed.view(), ctx);
    total = std::move(composed);
}

} // namespace systole
