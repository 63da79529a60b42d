// From a pair of frames to its motion: which estimator on which backend, whole or in slabs, what is
// tried when the device fails, and which stages follow. The one way of the window and the commands.
#pragma once

#include "compute/cuda/device_frames.h"
#include "compute/motion/device_fallback.h"
#include "compute/motion/frame_stages.h"
#include "compute/motion/sequence_driver.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// Builds an estimator for a backend; may throw ComputeError.
using MakeEstimator = std::function<std::unique_ptr<MotionEstimator>(Backend)>;
MakeEstimator estimatorMaker(const MotionMethod& method, const ParamSet& parameters);

/// A frame and the one that it is compared with.
struct FramePair {
    std::shared_ptr<const Volume> fixed, moving;
    int fixedFrame = -1, movingFrame = -1;
    /// Where an estimation on the device finds them; null: it uploads them itself.
    std::shared_ptr<DeviceFrames> onDevice{};
};

/// What stays the same from pair to pair.
struct PairSettings {
    MakeEstimator make;
    Backend backend = Backend::Cpu;
    bool mayUseCpu =
        true; ///< where the backend is Cuda; otherwise what the device can't is an error
    ReferenceMode reference = ReferenceMode::Previous;
    IntensityScale scale{};
    std::shared_ptr<const Volume> incompressibility{}; ///< as in SequenceSettings
    std::vector<std::string> stages{};                 ///< as in chosenStages()
};

class PairEstimator {
public:
    /// What its owner does for it, on the thread of estimate().
    struct Hooks {
        /// The device to use, called when the first pair needs one. Throws ComputeError where there
        /// is none. May be empty only where no backend is Cuda.
        std::function<std::shared_ptr<CudaContext>(const FramePair&)> openDevice{};
        /// Memory of the device is short: finished results that lie there are given up.
        std::function<void()> releaseResults{};
        /// From now on it is done another way: a device that failed may have taken results with it.
        std::function<void()> forgetResults{};
    };
    explicit PairEstimator(Hooks hooks) : hooks_(std::move(hooks)) {}

    /// Other parameters, another sequence: a new estimator, and the device is tried again. One that
    /// is in use is kept. Throws ComputeError for stages that there aren't.
    void begin(PairSettings settings);

    /// What may differ from pair to pair.
    struct Options {
        /// A pair that follows the last one starts from its field (see ReferenceMode); off: from
        /// zero.
        bool warmStart = true;
        bool download = true; ///< as in DevicePair; stages may need it all the same
        /// Of kernels on this device; null: as the context says.
        std::function<const BlockSizes*(const CudaDevice&)> blockSizes{};
    };
    /// `ctx` without device; its backend is the settings'. Falls back as DeviceFallback does.
    /// Throws what the estimator throws; after that no pair starts from an earlier field.
    FrameResult estimate(const FramePair& pair, const ExecContext& ctx, const Options& options);
    FrameResult estimate(const FramePair& pair, const ExecContext& ctx) {
        return estimate(pair, ctx, Options());
    }

    /// Of the next estimation.
    EstimationPath path() const {
        return settings_.backend == Backend::Cuda ? fallback_.path() : EstimationPath::Cpu;
    }
    /// Why it isn't as it was asked for, one sentence; empty: it is.
    const std::string& fallbackReason() const { return fallback_.reason(); }
    /// Of the last estimation; there must have been one since begin().
    const MotionReport& report() const { return driver_->lastReport(); }
    CudaContext* device() const { return device_.get(); } ///< in use; null: none

private:
    Backend backendOn(EstimationPath path) const;
    FrameResult estimateOn(EstimationPath path, const FramePair& pair, const ExecContext& base,
                           const Options& options, bool follows);
    void makeDriver(EstimationPath path, const FramePair& pair);
    void releaseMemory(const FramePair& pair);

    const Hooks hooks_;
    PairSettings settings_;
    std::vector<ChosenStage> stages_;
    bool stagesNeedHost_ = false;
    DeviceFallback fallback_;
    std::shared_ptr<CudaContext> device_;
    std::unique_ptr<SequenceDriver> driver_;
    EstimationPath driverPath_ = EstimationPath::Cpu;
    int lastMovingFrame_ = -1; ///< of the last pair; −1: it failed, or there is none
};

} // namespace systole
