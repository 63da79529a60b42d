// Estimation of the motion of a pair of frames: which estimator on which backend, whole or in
// slabs, the fallback when the device fails, and the stages that follow. Used by the window and all
// commands.
#pragma once

#include "compute/cuda/device_frames.h"
#include "compute/motion/device_fallback.h"
#include "compute/motion/frame_stages.h"
#include "compute/motion/motion_errors.h"
#include "compute/motion/sequence_driver.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// Builds an estimator for a backend; may throw ComputeError.
using MakeEstimator = std::function<std::unique_ptr<MotionEstimator>(Backend)>;
MakeEstimator estimatorMaker(const MotionMethod& method, const ParamSet& parameters);
/// Estimator of the two finest levels only; a method without levels is used as it is.
MakeEstimator refinerMaker(const MotionMethod& method, ParamSet parameters);

/// The two frames of an estimation.
struct FramePair {
    std::shared_ptr<const Volume> fixed, moving;
    int fixedFrame = -1, movingFrame = -1;
    /// Source of the frames on the device; null: the estimation uploads them itself.
    std::shared_ptr<DeviceFrames> onDevice{};
};

/// Settings that stay the same from pair to pair.
struct PairSettings {
    MakeEstimator make;
    MakeEstimator refine{}; ///< refinerMaker() for ReferenceMode::First; empty: make
    Backend backend = Backend::Cpu;
    bool mayUseCpu = true; ///< false: a failure of the device is an error; for backend Cuda
    ReferenceMode reference = ReferenceMode::Previous;
    /// Start error of the method of `make`. SmoothStays: the pair that closes a cycle, to which the
    /// last one's speed doesn't lead, starts from rest, and in ReferenceMode::First each frame is
    /// estimated from rest as well; the motion that leaves the smaller residual counts. Stays: the
    /// motion from rest counts unless the other is nearer by 1 %. Grows: by 2 %, and every pair
    /// starts from rest.
    StartError startError = StartError::Fades;
    IntensityScale scale{};
    std::shared_ptr<const Volume> incompressibility{}; ///< see SequenceSettings
    std::vector<std::string> stages{};                 ///< see chosenStages()
    DrawErrors errors{};                               ///< errorsOf() the method of `make`
};

class PairEstimator {
public:
    /// Callbacks to the owner, on the thread of estimate().
    struct Hooks {
        /// The device to use, called when the first pair needs one. Throws ComputeError if
        /// there is none. May be empty only if no backend is Cuda.
        std::function<std::shared_ptr<CudaContext>(const FramePair&)> openDevice{};
        /// Device memory is short: releases finished results on the device.
        std::function<void()> releaseResults{};
        /// The path has changed: discards results, which a failed device may have lost.
        std::function<void()> forgetResults{};
    };
    explicit PairEstimator(Hooks hooks) : hooks_(std::move(hooks)) {}

    /// Makes a new estimator, for new parameters or another sequence, and tries the device again. A
    /// device in use is kept. Throws ComputeError for unknown stages.
    void begin(PairSettings settings);

    /// Options that may differ from pair to pair.
    struct Options {
        /// A pair that follows the last one starts from its field (see ReferenceMode); false:
        /// starts from zero.
        bool warmStart = true;
        bool download = true; ///< see DevicePair; stages may need it even if false
        /// Used in ReferenceMode::First: the motion from the last moving frame into this one, which
        /// is then not estimated if it lies where the results do; null: it is.
        const FrameResult* step = nullptr;
        /// Block sizes of kernels on this device; null: those of the context.
        std::function<const BlockSizes*(const CudaDevice&)> blockSizes{};
    };
    /// `ctx` has no device; the settings give the backend. Falls back as DeviceFallback does.
    /// Passes on the estimator's exceptions; after one no pair starts from an earlier field, but in
    /// ReferenceMode::First it can be tried again as if it hadn't begun.
    FrameResult estimate(const FramePair& pair, const ExecContext& ctx, const Options& options);
    FrameResult estimate(const FramePair& pair, const ExecContext& ctx) {
        return estimate(pair, ctx, Options());
    }

    /// Goes on, in ReferenceMode::First, from the motion of the first pair, which another estimator
    /// found with these settings and from zero, as if it had been estimated here. False: it doesn't
    /// lie where the results would, and nothing is changed.
    bool adopt(const FrameResult& first);

    /// Whether the last estimation started from zero, not from the field of the pair before it.
    bool startedFromZero() const { return startedFromZero_; }
    /// The path of the next estimation.
    EstimationPath path() const {
        return settings_.backend == Backend::Cuda ? fallback_.path() : EstimationPath::Cpu;
    }
    /// Why the path isn't the requested one, in one sentence; empty if it is.
    const std::string& fallbackReason() const { return fallback_.reason(); }
    /// Report of the last estimation; there must have been one since begin().
    const MotionReport& report() const { return reporter_->lastReport(); }
    CudaContext* device() const { return device_.get(); } ///< device in use; null: none

private:
    bool goesOn(const FramePair& pair) const;
    Backend backendOn(EstimationPath path) const;
    FrameResult estimateOn(EstimationPath path, const FramePair& pair, const ExecContext& base,
                           const Options& options, const FramePair* last);
    FrameResult estimateWith(SequenceDriver& driver, const FramePair& pair, const ExecContext& ctx,
                             bool download);
    FrameResult refined(const FramePair& pair, const FramePair& last, const ExecContext& ctx,
                        const FrameResult* known, bool download);
    FrameResult fromRest(const FramePair& pair, const ExecContext& ctx, bool download);
    void makeDriver(EstimationPath path, const FramePair& pair);
    std::unique_ptr<SequenceDriver> driverFor(const MakeEstimator& make, ReferenceMode reference,
                                              EstimationPath path) const;
    void releaseMemory(const FramePair& pair);

    const Hooks hooks_;
    PairSettings settings_;
    std::vector<ChosenStage> stages_;
    std::shared_ptr<const MotionErrors> errors_; ///< error model of all results; null: unknown
    bool stagesNeedHost_ = false;
    DeviceFallback fallback_;
    std::shared_ptr<CudaContext> device_;
    std::unique_ptr<SequenceDriver> driver_; ///< driver from frame to frame
    /// Driver from the first frame, in ReferenceMode::First.
    std::unique_ptr<SequenceDriver> refiner_;
    const SequenceDriver* reporter_ = nullptr; ///< which of them was last
    EstimationPath driverPath_ = EstimationPath::Cpu;
    FramePair last_; ///< last pair; empty if it failed or there was none
    bool startedFromZero_ = true;
};

} // namespace systole
