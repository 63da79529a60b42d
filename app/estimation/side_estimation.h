// The estimation of one side: a pipeline that follows the user's choice and the clock. Ordinary
// layouts use one, the layout side by side two.
#pragma once

#include "app/estimation/motion_choice.h"
#include "app/estimation/pipeline.h"
#include "app/estimation/window_queue.h"

#include <memory>
#include <optional>

namespace systole {

class SideEstimation {
public:
    explicit SideEstimation(PipelineOptions options) : pipeline_(std::move(options)) {}

    /// Starts a new sequence, without requests.
    void open(IntensityScale scale);
    /// True if it estimates with these settings; their `make` may be missing.
    bool follows(const EstimationSettings& settings) const;
    /// Passes on changed settings, with the estimators of `choice`; returns true if the estimations
    /// that follow don't compare with those before.
    bool follow(const MotionChoice& choice, EstimationSettings settings);

    /// True if the pair should be requested: estimation of pairs is on, and this was not the last
    /// request.
    bool lacks(int fixedFrame, bool jump) const;
    void request(FramePair pair, bool jump);
    /// Requests the pair of the frame that is shown after this one, which then lacks() nothing.
    void requestAhead(FramePair pair, int shownFrame);
    /// True if there is nothing to estimate: no estimation runs, and no request waits.
    bool idle() const;
    /// True of motion that was requested ahead, and whose frame is still to come.
    bool isAhead(const FrameResult* result, int shownFrame) const {
        return result && result->pictureFrame() == aheadFrame_ && shownFrame == requestedFrame_;
    }
    /// Requests a pair for the cache, whatever is shown: it starts from zero and doesn't cancel an
    /// estimation.
    void requestForCache(FramePair pair);
    /// The moving frame of the step to request now; none: nothing to do yet. Needs a window.
    std::optional<int> wantedStep(int frames, WindowQueue::Shown shown);
    void requestStep(WindowStep step);
    /// The next lacks() is true: other requests took the place of the last one.
    void forgetRequest() { requestedFrame_ = aheadFrame_ = -1; }

    std::shared_ptr<const FrameResult> resultFor(int frame) const;
    PipelineStatus status() const { return pipeline_.status(); }
    /// Returns the newest result once; else null.
    std::shared_ptr<const FrameResult> takeNewest();

private:
    std::optional<EstimationSettings> applied_;
    int requestedFrame_ = -1;
    int aheadFrame_ = -1; ///< requested ahead; stays when it is shown
    bool requestedAsJump_ = false;
    WindowQueue window_;
    std::shared_ptr<const FrameResult> taken_;
    Pipeline pipeline_;
};

} // namespace systole
