// Estimation of the pairs of frames of one run of systole motion.
#pragma once

#include "app/features/motion/motion_job.h"
#include "compute/motion/pair_estimator.h"
#include "compute/motion/spread_pairs.h"
#include "compute/motion/trajectory_filter.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Figures of an estimation, besides its result.
struct EstimationFacts {
    MotionReport report;
    double readSeconds = 0;        ///< time of reading the moving frame
    std::size_t uploadedBytes = 0; ///< bytes of frames uploaded since the last estimation
};

struct EstimatedPair {
    FrameResult result;
    /// None: the motion is that of an earlier pair and was not estimated again.
    std::optional<EstimationFacts> facts;
};

/// Estimates pairs on the device of a job, in turn with others that use it, smooths their
/// trajectories if the job has a window, and reports the progress.
class MotionEstimation {
public:
    /// `job` must outlive this. Throws ComputeError if the method or a stage can't be used.
    MotionEstimation(const MotionJob& job, const ExecContext& ctx, const IntensityScale& scale);
    MotionEstimation(const MotionEstimation&) = delete;
    MotionEstimation& operator=(const MotionEstimation&) = delete;

    /// Estimates the pair. Returns the pairs that are finished by it: this one or, with a window,
    /// those that the filter has smoothed, in order. Throws Cancelled and what the method throws.
    std::vector<EstimatedPair> estimate(const std::shared_ptr<const Volume>& fixed, int fixedFrame,
                                        const std::shared_ptr<const Volume>& moving,
                                        int movingFrame, double readSeconds);
    /// Takes over a pair that a worker of SpreadPairs has estimated.
    EstimatedPair takeOver(SpreadPairs::Estimated made);
    /// The motion since the first frame where pairs are written: estimated between these two
    /// frames, since pairs, one after the other, add up their errors. The first is a pair, too.
    EstimatedPair estimateSinceFirst(const std::shared_ptr<const Volume>& first,
                                     const std::shared_ptr<const Volume>& moving, int movingFrame);
    /// Returns the pairs that the filter still has; it smooths none that follow.
    std::vector<EstimatedPair> finish();

    /// Uploads a frame that is needed soon, concurrently with the estimation.
    void prefetch(int frame, const std::shared_ptr<const Volume>& volume);

    /// Settings of the pairs from frame to frame, for SpreadPairs.
    const PairSettings& pairSettings() const { return pairSettings_; }
    /// Context of work on results on the host; its progress is that of the run.
    const ExecContext& context() const { return ctx_; }
    /// Why the device was not used as intended; empty: it was.
    const std::string& fallbackReason() const { return fallback_; }
    double waitedSeconds() const { return waitedSeconds_; } ///< time of waiting for turns

private:
    EstimatedPair estimateWith(PairEstimator& estimator, const FramePair& pair, double readSeconds,
                               const FrameResult* step = nullptr);
    std::vector<EstimatedPair> withFacts(std::vector<FrameResult> smooth);
    FrameResult onThisDevice(const FrameResult& host);
    std::size_t uploadedFrameBytes();
    ExecContext contextOfDevice() const;
    double secondsSinceFirst(int frame) const;

    const MotionJob& job_;
    ExecContext ctx_;
    std::shared_ptr<DeviceFrames> onDevice_; ///< null on the CPU
    std::size_t uploadedBytes_ = 0;
    std::optional<TrajectoryFilter> filter_;
    std::deque<EstimationFacts> filtered_; ///< facts of the pairs that the filter has
    PairEstimator pairs_;
    PairSettings pairSettings_;
    std::optional<PairEstimator> sinceFirst_; ///< set with MotionJob::estimatesSinceFirst()
    FrameResult lastPair_;                    ///< last pair, a step of the motion since the first
    std::string fallback_;
    double waitedSeconds_ = 0;
    int count_; ///< number of estimations of the run
    int done_ = 0;
};

} // namespace systole
