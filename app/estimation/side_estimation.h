// The estimation of one side: a pipeline that follows the user's choice and the clock. Alone in the
// ordinary layouts, two of them side by side.
#pragma once

#include "app/estimation/motion_choice.h"
#include "app/estimation/pipeline.h"

#include <cstdint>
#include <memory>

namespace systole {

class EstimationLane {
public:
    explicit EstimationLane(PipelineOptions options) : pipeline_(std::move(options)) {}

    /// What besides the choice decides how it estimates.
    struct Conditions {
        bool enabled = true;
        bool keepEstimating = false;
        bool warmStart = true; ///< as in EstimationSettings
        int threads = 1;
        /// Fields of an estimation on a CUDA device are needed on the host, too.
        bool downloadFields = true;
        bool profileKernels = false; ///< as in EstimationSettings
        BlockTuning tuning = BlockTuning::Standard;
        bool operator==(const Conditions&) const = default;
    };

    /// A new sequence: nothing is asked for.
    void open(IntensityScale scale);
    bool follows(const MotionChoice& choice, const Conditions& conditions) const;
    /// Hands on what changed; true when finished fields are outdated by it.
    bool follow(const MotionChoice& choice, const Conditions& conditions);

    /// The pair is to be asked for: it is switched on, and this is not what was asked last.
    bool lacks(int fixedFrame, bool jump) const;
    void request(FramePair pair, bool jump);

    std::shared_ptr<const FrameResult> resultFor(int fixedFrame) const;
    PipelineStatus status() const { return pipeline_.status(); }
    /// The newest result, once; else null.
    std::shared_ptr<const FrameResult> takeNewest();

private:
    Conditions applied_;
    std::optional<std::uint64_t> appliedRevision_;
    int requestedFrame_ = -1;
    bool requestedAsJump_ = false;
    std::shared_ptr<const FrameResult> taken_;
    Pipeline pipeline_;
};

} // namespace systole
