// The estimation of one side: a pipeline that follows the user's choice and the clock. Alone in the
// ordinary layouts, two of them side by side.
#pragma once

#include "app/estimation/motion_choice.h"
#include "app/estimation/pipeline.h"

#include <memory>
#include <optional>

namespace systole {

class SideEstimation {
public:
    explicit SideEstimation(PipelineOptions options) : pipeline_(std::move(options)) {}

    /// A new sequence: nothing is asked for.
    void open(IntensityScale scale);
    /// Whether it estimates with these settings; their `make` may be missing.
    bool follows(const EstimationSettings& settings) const;
    /// Hands on what changed, with what `choice` makes estimators; true when finished fields are
    /// outdated by it.
    bool follow(const MotionChoice& choice, EstimationSettings settings);

    /// The pair is to be asked for: it is switched on, and this is not what was asked last.
    bool lacks(int fixedFrame, bool jump) const;
    void request(FramePair pair, bool jump);

    std::shared_ptr<const FrameResult> resultFor(int fixedFrame) const;
    PipelineStatus status() const { return pipeline_.status(); }
    /// The newest result, once; else null.
    std::shared_ptr<const FrameResult> takeNewest();

private:
    std::optional<EstimationSettings> applied_;
    int requestedFrame_ = -1;
    bool requestedAsJump_ = false;
    std::shared_ptr<const FrameResult> taken_;
    Pipeline pipeline_;
};

} // namespace systole
