#include "compute/motion/sequence_driver.h"

#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/motion_start.h"
#include "compute/cuda/context.h"
#include "compute/motion/gray_range.h"
#include "compute/motion/refined_method.h"
#include "compute/ops/resample.h"
#include "compute/ops/residual.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace systole {

IntensityScale intensityScale(const Sequence& sequence, const ExecContext& ctx, int sampleFrames) {
    const int frames = std::max(1, std::min(sampleFrames, sequence.frames));
    Buffer<float> frame = ctx.pool->acquire<float>(sequence.geometry.voxels(), "intensity range");
    GrayRange range(frames);
    for (int n = 0; n < frames; ++n) {
        ctx.throwIfCancelled();
        const VolumeView<float> view(frame.data(), sequence.geometry.size());
        sequence.source->read(spreadFrame(n, frames, sequence.frames), view);
        range.add(view);
    }
    return range.scale();
}

SequenceDriver::SequenceDriver(std::unique_ptr<MotionEstimator> estimator,
                               SequenceSettings settings)
    : estimator_(std::move(estimator)), settings_(std::move(settings)) {}

FrameResult SequenceDriver::estimate(std::shared_ptr<const Volume> fixed, int fixedFrame,
                                     std::shared_ptr<const Volume> moving, int movingFrame,
                                     const ExecContext& ctx, const DevicePair& onDevice) {
    if (!fixed->geometry.matches(moving->geometry))
        throw ComputeError(
            fmt::format("frames {} and {} don't lie on one grid", fixedFrame, movingFrame));
    if (settings_.incompressibility &&
        settings_.incompressibility->geometry.size() != fixed->geometry.size())
        throw ComputeError("the volume-preservation weight must have the size of the frames");
    if (ctx.backend == Backend::Cuda && !ctx.cuda)
        throw ComputeError("motion on the backend cuda needs a CUDA device that is in use");
    const auto begin = std::chrono::steady_clock::now();
    const TransferCounters before = ctx.cuda ? ctx.cuda->transfers() : TransferCounters{};
    KernelProfile ownProfile;
    ExecContext inner = ctx;
    if (!inner.profile)
        inner.profile = &ownProfile;
    inner.profile->beginFrame(fixedFrame);

    FrameResult result;
    result.fixedFrame = fixedFrame;
    result.movingFrame = movingFrame;
    result.fixed = std::move(fixed);
    result.moving = std::move(moving);
    const bool onTheDevice = ctx.backend == Backend::Cuda && !settings_.hostInput;
    const bool continues = settings_.reference == ReferenceMode::Previous &&
                           follows(result.fixed->geometry, fixedFrame, onTheDevice);
    result.startFrame = continues ? start_.chainStart : fixedFrame;
    if (onTheDevice)
        runOnDevice(result, onDevice, inner);
    else
        runOnHost(result, inner);
    result.profile = inner.profile->endFrame();
    if (ctx.cuda) {
        const TransferCounters after = ctx.cuda->transfers();
        result.bytesToDevice = after.toDeviceBytes - before.toDeviceBytes;
        result.bytesToHost = after.toHostBytes - before.toHostBytes;
    }
    result.seconds = secondsSince(begin);
    result.iterations = report_.iterations;
    result.energy = report_.energy;
    if (!report_.levels.empty())
        if (const Figure* const elsewhere = findFigure(report_.levels.front().figures, startsOnCpu))
            result.figures.push_back(*elsewhere);
    result.backend = ctx.backend;
    start_.fixedFrame = fixedFrame;
    start_.chainStart = result.startFrame;
    return result;
}

MotionInput SequenceDriver::inputOf(const Volume& fixed, const Volume& moving) const {
    MotionInput input = motionInput(fixed, moving, settings_.scale);
    input.grids = FrameGrids{fixed.geometry, moving.geometry};
    return input;
}

/// Whether the last result's field is the starting field of this pair.
bool SequenceDriver::follows(const Geometry& geometry, int fixedFrame, bool onDevice) const {
    return start_.field && start_.field->geometry.matches(geometry) &&
           (start_.field->components.space() == MemorySpace::Device) == onDevice &&
           start_.fixedFrame ==
               (settings_.reference == ReferenceMode::First ? fixedFrame : fixedFrame - 1);
}

/// Tissue keeps its speed between neighboring frames: the best guess is the last pair's field, or
/// the last frame's if all frames refer to one. There is none after a jump.
std::shared_ptr<VectorField> SequenceDriver::startingField(const Geometry& geometry, int fixedFrame,
                                                           const ExecContext& ctx, bool onDevice) {
    auto field = std::make_shared<VectorField>(
        geometry, onDevice ? ctx.cuda->devicePool() : *ctx.pool, "motion of a frame");
    const std::size_t values = field->components.size();
    const bool continues = follows(geometry, fixedFrame, onDevice);
    if (onDevice && continues)
        ctx.cuda->copyOnDevice(start_.field->components.data(), field->components.data(),
                               values * sizeof(float), CudaStream::Compute);
    else if (onDevice)
        ctx.cuda->zero(field->components.data(), values * sizeof(float), CudaStream::Compute);
    else if (continues)
        std::copy_n(start_.field->components.data(), values, field->components.data());
    else
        std::fill_n(field->components.data(), values, 0.0f);
    return field;
}

void SequenceDriver::runOnHost(FrameResult& result, const ExecContext& ctx) {
    const std::shared_ptr<VectorField> field =
        startingField(result.fixed->geometry, result.fixedFrame, ctx, false);
    MotionInput input = inputOf(*result.fixed, *result.moving);
    if (settings_.incompressibility)
        input.incompressibility = settings_.incompressibility->view();
    if (result.fixed->known)
        input.fixedMask = result.fixed->known->view();
    if (result.moving->known)
        input.movingMask = result.moving->known->view();
    report_ = estimator_->estimate(input, field->view(), ctx);
    auto warped =
        std::make_shared<Volume>(result.fixed->geometry, *ctx.pool, "warped frame of a result");
    warped->timeSeconds = result.moving->timeSeconds;
    warpVolume(result.moving->view(), field->view(), warped->view(), {}, ctx);
    Volume warpedKnown;
    if (result.moving->known) {
        warpedKnown = Volume(warped->geometry, *ctx.pool, "known voxels of a warped frame");
        warpVolume(input.movingMask, field->view(), warpedKnown.view(), {}, ctx);
    }
    result.residual =
        residualChange(result.fixed->view(), result.moving->view(), warped->view(), field->view(),
                       {input.fixedMask, input.movingMask, warpedKnown.view()}, ctx);
    result.residual.tells = report_.comparesGrayValues;
    result.field = field;
    result.warped = std::move(warped);
    start_.field = field;
}

} // namespace systole
