#include "compute/motion/pair_estimator.h"

#include "compute/cuda/context.h"
#include "compute/motion/slabs.h"

#include <algorithm>
#include <utility>

namespace systole {

MakeEstimator estimatorMaker(const MotionMethod& method, const ParamSet& parameters) {
    return [make = method.make, parameters](Backend backend) { return make(parameters, backend); };
}

void PairEstimator::begin(PairSettings settings) {
    driver_.reset();
    lastMovingFrame_ = -1;
    fallback_ = DeviceFallback(settings.mayUseCpu);
    stages_ = chosenStages(settings.stages);
    stagesNeedHost_ = std::any_of(stages_.begin(), stages_.end(), [](const ChosenStage& chosen) {
        return chosen.stage->needsHostField;
    });
    settings_ = std::move(settings);
}

FrameResult PairEstimator::estimate(const FramePair& pair, const ExecContext& ctx,
                                    const Options& options) {
    const bool follows = options.warmStart && (settings_.reference == ReferenceMode::First ||
                                               lastMovingFrame_ == pair.fixedFrame);
    startedFromZero_ = !follows;
    lastMovingFrame_ = -1;
    const auto on = [&](EstimationPath path) {
        return estimateOn(path, pair, ctx, options, follows);
    };
    FrameResult result = settings_.backend == Backend::Cuda
                             ? fallback_.run({on, [&] { releaseMemory(pair); }})
                             : on(EstimationPath::Cpu);
    runStages(stages_, result, ctx);
    lastMovingFrame_ = pair.movingFrame;
    return result;
}

Backend PairEstimator::backendOn(EstimationPath path) const {
    if (path != EstimationPath::Cpu)
        return Backend::Cuda;
    return settings_.backend == Backend::Cuda ? Backend::Cpu : settings_.backend;
}

FrameResult PairEstimator::estimateOn(EstimationPath path, const FramePair& pair,
                                      const ExecContext& base, const Options& options,
                                      bool follows) {
    if (!driver_ || driverPath_ != path)
        makeDriver(path, pair);
    else if (!follows)
        driver_->reset();
    ExecContext ctx = base;
    ctx.backend = backendOn(path);
    ctx.cuda = device_.get();
    if (device_ && options.blockSizes)
        if (const BlockSizes* sizes = options.blockSizes(device_->device()))
            ctx.blockSizes = sizes;
    DevicePair onDevice;
    onDevice.download = options.download || stagesNeedHost_;
    if (path == EstimationPath::Device && pair.onDevice) {
        onDevice.fixed = pair.onDevice->frame(pair.fixedFrame, pair.fixed);
        onDevice.moving = pair.onDevice->frame(pair.movingFrame, pair.moving);
    }
    return driver_->estimate(pair.fixed, pair.fixedFrame, pair.moving, pair.movingFrame, ctx,
                             onDevice);
}

void PairEstimator::makeDriver(EstimationPath path, const FramePair& pair) {
    const bool other = driver_ != nullptr;
    driver_.reset();
    if (other && hooks_.forgetResults)
        hooks_.forgetResults();
    if (path == EstimationPath::Cpu)
        device_.reset();
    else if (!device_)
        device_ = hooks_.openDevice(pair);
    std::unique_ptr<MotionEstimator> estimator = settings_.make(backendOn(path));
    if (path == EstimationPath::Slabs)
        estimator = std::make_unique<SlabEstimator>(std::move(estimator), slabBudget(*device_));
    driver_ = std::make_unique<SequenceDriver>(
        std::move(estimator),
        SequenceSettings{settings_.reference, settings_.scale, settings_.incompressibility,
                         path == EstimationPath::Slabs});
    driverPath_ = path;
}

void PairEstimator::releaseMemory(const FramePair& pair) {
    driver_.reset();
    if (hooks_.releaseResults)
        hooks_.releaseResults();
    if (pair.onDevice)
        pair.onDevice->shrink();
    if (device_)
        device_->devicePool().trim();
}

} // namespace systole
