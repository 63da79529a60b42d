#include "compute/motion/pair_estimator.h"

#include "compute/cuda/context.h"
#include "compute/motion/composed_motion.h"
#include "compute/motion/slabs.h"
#include "compute/ops/pyramid.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace systole {
namespace {

std::shared_ptr<const VectorField> fieldOf(const FrameResult& result) {
    return result.device ? result.device->field : result.field;
}

/// Motion from rest has no errors of the frames before, but may have lost what moves far. It counts
/// unless the residual of the chain (root mean square) is lower by this factor: residuals that are
/// nearly equal don't tell which motion has errors that stay, and a fluid fits noise with them.
constexpr double clearlyNearer(StartError error) {
    return error == StartError::Grows ? 1.02 : error == StartError::Stays ? 1.01 : 1;
}

/// Counts the work of an estimation that was done before this one for the same result.
void addWork(FrameResult& result, FrameResult& before) {
    std::vector<ProfileSpan>& spans = result.profile.spans;
    spans.insert(spans.begin(), std::make_move_iterator(before.profile.spans.begin()),
                 std::make_move_iterator(before.profile.spans.end()));
    result.seconds += before.seconds;
    result.bytesToDevice += before.bytesToDevice;
    result.bytesToHost += before.bytesToHost;
}

} // namespace

MakeEstimator estimatorMaker(const MotionMethod& method, const ParamSet& parameters) {
    return [make = method.make, parameters](Backend backend) { return make(parameters, backend); };
}

/// Refinement works on the finest levels only: coarser ones lead a motion that is nearly right away
/// again, because small details are lost there and smoothness weighs more
/// (docs/numerics/motion-over-frames.md).
MakeEstimator refinerMaker(const MotionMethod& method, ParamSet parameters) {
    constexpr int finestLevels = 2;
    const ParamRow levels = pyramidLevelsParam(finestLevels); // others' levels are something else
    for (const ParamRow& row : method.parameters->rows())
        if (row.id == levels.id && row.title == levels.title)
            parameters.set(row.id, std::min(parameters.integer(row.id), finestLevels));
    return estimatorMaker(method, parameters);
}

void PairEstimator::begin(PairSettings settings) {
    driver_.reset();
    refiner_.reset();
    last_ = {};
    fallback_ = DeviceFallback(settings.mayUseCpu);
    stages_ = chosenStages(settings.stages);
    stagesNeedHost_ = std::any_of(stages_.begin(), stages_.end(), [](const ChosenStage& chosen) {
        return chosen.stage->needsHostField;
    });
    errors_.reset();
    if (settings.errors)
        errors_ = std::make_shared<const MotionErrors>(
            MotionErrors{settings.errors, settings.scale, settings.incompressibility});
    settings_ = std::move(settings);
}

FrameResult PairEstimator::estimate(const FramePair& pair, const ExecContext& ctx,
                                    const Options& options) {
    const bool first = settings_.reference == ReferenceMode::First;
    const bool follows = options.warmStart && (first || goesOn(pair)) && last_.moving &&
                         (first ? last_.fixedFrame : last_.movingFrame) == pair.fixedFrame;
    startedFromZero_ = !follows;
    const FramePair last = std::exchange(last_, {});
    const auto on = [&](EstimationPath path) {
        return estimateOn(path, pair, ctx, options, follows ? &last : nullptr);
    };
    const SequenceDriver *const driver = driver_.get(), *const refiner = refiner_.get();
    const SequenceDriver::Start step = driver ? driver->start() : SequenceDriver::Start{},
                                start = refiner ? refiner->start() : SequenceDriver::Start{};
    FrameResult result;
    try {
        result = settings_.backend == Backend::Cuda
                     ? fallback_.run({on, [&] { releaseMemory(pair); }})
                     : on(EstimationPath::Cpu);
    } catch (...) {
        if (refiner && driver == driver_.get() && refiner == refiner_.get()) {
            // As if it hadn't begun: what follows depends on the frames alone.
            driver_->startFrom(step);
            refiner_->startFrom(start);
            last_ = last;
        }
        throw;
    }
    result.errors = errors_;
    runStages(stages_, result, ctx);
    last_ = pair;
    return result;
}

bool PairEstimator::adopt(const FrameResult& first) {
    if (path() != EstimationPath::Cpu || first.device)
        return false;
    last_ = {first.fixed, first.moving, first.fixedFrame, first.movingFrame};
    makeDriver(EstimationPath::Cpu, last_);
    driver_->startFrom({first.field, first.fixedFrame, first.fixedFrame});
    refiner_->startFrom({first.field, first.fixedFrame, first.fixedFrame});
    startedFromZero_ = true;
    return true;
}

/// Whether a pair may start from the last one's motion.
bool PairEstimator::goesOn(const FramePair& pair) const {
    const bool closes = pair.movingFrame < pair.fixedFrame;
    return settings_.startError == StartError::Fades ||
           (settings_.startError != StartError::Grows && !closes);
}

Backend PairEstimator::backendOn(EstimationPath path) const {
    if (path != EstimationPath::Cpu)
        return Backend::Cuda;
    return settings_.backend == Backend::Cuda ? Backend::Cpu : settings_.backend;
}

FrameResult PairEstimator::estimateOn(EstimationPath path, const FramePair& pair,
                                      const ExecContext& base, const Options& options,
                                      const FramePair* last) {
    if (!driver_ || driverPath_ != path)
        makeDriver(path, pair);
    else if (!last)
        driver_->reset();
    ExecContext ctx = base;
    ctx.backend = backendOn(path);
    ctx.cuda = device_.get();
    if (device_ && options.blockSizes)
        if (const BlockSizes* sizes = options.blockSizes(device_->device()))
            ctx.blockSizes = sizes;
    const bool download = options.download || stagesNeedHost_;
    if (refiner_ && last && refiner_->start().field)
        return refined(pair, *last, ctx, options.step, download);
    reporter_ = driver_.get();
    FrameResult result = estimateWith(*driver_, pair, ctx, download);
    if (refiner_)
        refiner_->startFrom({fieldOf(result), pair.fixedFrame});
    return result;
}

FrameResult PairEstimator::estimateWith(SequenceDriver& driver, const FramePair& pair,
                                        const ExecContext& ctx, bool download) {
    DevicePair onDevice;
    onDevice.download = download;
    if (driverPath_ == EstimationPath::Device && pair.onDevice) {
        onDevice.fixed = pair.onDevice->frame(pair.fixedFrame, pair.fixed);
        onDevice.moving = pair.onDevice->frame(pair.movingFrame, pair.moving);
    }
    return driver.estimate(pair.fixed, pair.fixedFrame, pair.moving, pair.movingFrame, ctx,
                           onDevice);
}

/// Goes on from the last frame's motion since the first one.
FrameResult PairEstimator::refined(const FramePair& pair, const FramePair& last,
                                   const ExecContext& ctx, const FrameResult* known,
                                   bool download) {
    const VectorField& start = *refiner_->start().field;
    const bool onDevice = start.components.space() == MemorySpace::Device;
    FrameResult step;
    std::shared_ptr<const VectorField> stepField;
    if (known && (known->device || !onDevice))
        stepField = onDevice ? known->device->field : known->field;
    if (!stepField) {
        if (settings_.startError == StartError::Grows)
            driver_->reset();
        step = estimateWith(
            *driver_, {last.moving, pair.moving, last.movingFrame, pair.movingFrame, pair.onDevice},
            ctx, false);
        stepField = fieldOf(step);
    }
    refiner_->startFrom(
        {std::make_shared<VectorField>(composedMotion(start, *stepField, ctx)), pair.fixedFrame});
    reporter_ = refiner_.get();
    FrameResult result = estimateWith(*refiner_, pair, ctx, download);
    addWork(result, step);
    if (settings_.startError == StartError::Fades)
        return result;
    FrameResult other = fromRest(pair, ctx, download);
    const double nearer = clearlyNearer(settings_.startError);
    if (other.residual.after < nearer * nearer * result.residual.after) {
        std::swap(other, result);
        refiner_->startFrom({fieldOf(result), pair.fixedFrame});
        reporter_ = driver_.get();
    }
    addWork(result, other);
    return result;
}

/// Estimates the motion between the first frame and this one on all levels, outside the chain of
/// pairs, which continues as if this hadn't been.
FrameResult PairEstimator::fromRest(const FramePair& pair, const ExecContext& ctx, bool download) {
    const SequenceDriver::Start chain = driver_->start();
    driver_->reset();
    FrameResult result = estimateWith(*driver_, pair, ctx, download);
    driver_->startFrom(chain);
    return result;
}

void PairEstimator::makeDriver(EstimationPath path, const FramePair& pair) {
    const bool other = driver_ != nullptr;
    driver_.reset();
    refiner_.reset();
    if (other && hooks_.forgetResults)
        hooks_.forgetResults();
    if (path == EstimationPath::Cpu)
        device_.reset();
    else if (!device_)
        device_ = hooks_.openDevice(pair);
    driver_ = driverFor(settings_.make, ReferenceMode::Previous, path);
    if (settings_.reference == ReferenceMode::First)
        refiner_ = driverFor(settings_.refine ? settings_.refine : settings_.make,
                             ReferenceMode::First, path);
    driverPath_ = path;
}

std::unique_ptr<SequenceDriver> PairEstimator::driverFor(const MakeEstimator& make,
                                                         ReferenceMode reference,
                                                         EstimationPath path) const {
    std::unique_ptr<MotionEstimator> estimator = make(backendOn(path));
    if (path == EstimationPath::Slabs)
        estimator = std::make_unique<SlabEstimator>(std::move(estimator), slabBudget(*device_));
    return std::make_unique<SequenceDriver>(std::move(estimator),
                                            SequenceSettings{reference, settings_.scale,
                                                             settings_.incompressibility,
                                                             path == EstimationPath::Slabs});
}

void PairEstimator::releaseMemory(const FramePair& pair) {
    driver_.reset();
    refiner_.reset();
    if (hooks_.releaseResults)
        hooks_.releaseResults();
    if (pair.onDevice)
        pair.onDevice->shrink();
    if (device_)
        device_->devicePool().trim();
}

} // namespace systole
