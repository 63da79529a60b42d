// Requests of the live view for estimations: the pair of the shown frame, or all pairs of a cycle.
#include "app/base/plural.h"
#include "app/live/live_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

/// It estimates, or is about to. What is asked for and finished already stays a request that waits,
/// and keeps nobody from computing; `again`: finished fields are estimated anew.
bool isBusy(const SideEstimation& side, bool again) {
    const PipelineStatus now = side.status();
    return now.estimatingFrame >= 0 ||
           (now.waitingFrame >= 0 &&
            (again || !std::ranges::binary_search(now.cachedFrames, now.waitingFrame)));
}

} // namespace

void LiveView::requestMotion() {
    followCycle();
    if (cycleRuns())
        return requestCycle();
    requestPair();
    requestAhead();
    stepAwaitsFrame_ = false;
    const auto again = [&](const MotionChoice& choice) {
        return choice.keepEstimating && session_.playback.playing();
    };
    requestSteps(left_, again(session_.motion));
    if (right_)
        requestSteps(*right_, again(session_.compared));
    if (sinceFirst_)
        requestSteps(*sinceFirst_, false);
}

void LiveView::requestPair() {
    const Playback& playback = session_.playback;
    const int fixedFrame = playback.frame();
    const int movingFrame = playback.successor(fixedFrame);
    const bool jump = !playback.playing();
    if (movingFrame < 0 || fixedFrame != session_.shownFrame)
        return;
    const bool forLeft = left_.lacks(fixedFrame, jump);
    const bool forRight = right_ && right_->lacks(fixedFrame, jump);
    if (!forLeft && !forRight)
        return;
    const FramePair pair = pairOf(fixedFrame, movingFrame);
    if (!pair.fixed || !pair.moving)
        return;
    if (takesTurns())
        return requestInTurn(pair, jump);
    if (forLeft)
        left_.request(pair, jump);
    if (forRight)
        right_->request(pair, jump);
    prefetchFrame(playback.successor(movingFrame));
}

/// Whichever side rests waits for the other. While playing, each pair is had by both, though the
/// frame shown goes on; a step takes the busy side along, whose pair nobody waits for.
void LiveView::requestInTurn(const FramePair& shown, bool jump) {
    const bool again = session_.motion.keepEstimating;
    SideEstimation* const busy = isBusy(left_, again)     ? &left_
                                 : isBusy(*right_, again) ? right_.get()
                                                          : nullptr;
    if (busy) {
        if (jump && busy->lacks(shown.fixedFrame, jump))
            busy->request(shown, jump);
        return;
    }
    const std::optional<int> turn = jump ? std::nullopt : rightsTurn_;
    if (turn && *turn != shown.fixedFrame && right_->lacks(*turn, jump)) {
        const FramePair pair = pairOf(*turn, session_.playback.successor(*turn));
        if (pair.fixed && pair.moving)
            right_->request(pair, jump);
        else if (readable(*turn) && readable(pair.movingFrame))
            return; // being decoded
        rightsTurn_.reset();
    } else if (left_.lacks(shown.fixedFrame, jump)) {
        left_.request(shown, jump);
        rightsTurn_ = shown.fixedFrame;
    } else {
        right_->request(shown, jump);
        rightsTurn_.reset();
    }
}

/// Null frames are still being decoded.
FramePair LiveView::pairOf(int fixedFrame, int movingFrame) {
    return {frame(fixedFrame), frame(movingFrame), fixedFrame, movingFrame, device_.frames()};
}

/// The frame that the next picture of the sequence shows, if it is known and can be there; else −1.
int LiveView::upcomingFrame() const {
    return looksAhead_ && framesFit_ && !shown_.picture ? session_.playback.upcoming() : -1;
}

/// While playing, once the shown frame's own motion is there, and its picture, which an estimation
/// would delay. Not side by side, where both sides show motion of one frame.
void LiveView::requestAhead() {
    const int next = upcomingFrame(), shown = session_.shownFrame;
    if (next < 0 || sideBySide(session_) || session_.playback.frame() != shown ||
        session_.paintedFrame != shown || left_.lacks(shown, false) || !left_.lacks(next, false) ||
        !left_.idle())
        return;
    const FramePair pair = pairOf(next, session_.playback.successor(next));
    if (!pair.fixed || !pair.moving)
        return;
    left_.requestAhead(pair, shown);
    prefetchFrame(session_.playback.successor(pair.movingFrame));
}

/// Steps through the sequence from its first frame, whatever is shown: each starts from the field
/// before it.
void LiveView::requestSteps(SideEstimation& side, bool again) {
    const Sequence& sequence = session_.opened->sequence;
    const int frames = sequence.frames;
    const std::optional<int> step = side.wantedStep(frames, {session_.playback.frame(), again});
    if (!step)
        return;
    const FramePair pair = pairOf(0, *step);
    if (!pair.fixed || !pair.moving) {
        stepAwaitsFrame_ = stepAwaitsFrame_ || (readable(0) && readable(*step));
        return;
    }
    const double seconds = sequence.timeKnown() ? sequence.timeOf(*step) - sequence.timeOf(0)
                                                : static_cast<double>(*step);
    side.requestStep({pair, seconds, *step == frames - 1});
    if (*step + 1 < frames)
        prefetchFrame(*step + 1);
}

/// Its upload overlaps with the estimation of the previous pair.
void LiveView::prefetchFrame(int index) {
    if (index >= 0)
        device_.prefetch(index, stream_->peek(index));
}

/// Starts, restarts and ends the estimation of the whole cycle as the session wants it.
void LiveView::followCycle() {
    WholeCycle& cycle = session_.cycle;
    const bool sides = sideBySide(session_) && right_;
    if (!whyNoCycle(session_).empty())
        cycle.on = false;
    if (!cycle.on)
        return endCycle();
    const int frames = session_.opened->sequence.frames;
    if (!cycleRuns() || sides != cycleOnSides_) {
        if (!framesFit_)
            session_.playback.pause(); // it would take the frames' places in the stream
        cycleOnSides_ = sides;
        cycle_[0].start(frames, session_.playback.frame());
        sides ? cycle_[1].start(frames, session_.playback.frame()) : cycle_[1].stop();
    }
}

void LiveView::requestCycle() {
    cycleAwaitsFrame_ = false;
    SideEstimation* const estimations[] = {&left_, cycleOnSides_ ? right_.get() : nullptr};
    WholeCycle& cycle = session_.cycle;
    cycle.finished = cycle.total = cycle.discarded = 0;
    bool failed = false;
    for (std::size_t side = 0; side < 2; ++side) {
        if (!estimations[side])
            continue;
        CycleQueue& queue = cycle_[side];
        if (side == 0 || !takesTurns() || !cycle_[0].running())
            requestNext(*estimations[side], queue);
        cycle.finished += queue.finished();
        cycle.total += queue.total();
        cycle.discarded += queue.discarded();
        failed = failed || queue.failed();
    }
    if (cycleRuns() && !failed)
        return;
    cycle.outcome =
        failed ? "The estimation of the whole cycle stopped at a failure."
        : cycle.discarded > 0
            ? fmt::format("The whole cycle is estimated, but {} of {} fields aren't kept: the "
                          "memory for finished fields is full.",
                          cycle.discarded, cycle.total)
            : fmt::format("The whole cycle is estimated: {}.", plural(cycle.total, "pair"));
    cycle.on = false;
    endCycle();
}

void LiveView::requestNext(SideEstimation& side, CycleQueue& queue) {
    const std::optional<int> fixed = queue.next(side.status(), session_.playback.frame());
    if (!fixed)
        return;
    const int moving = session_.playback.successor(*fixed);
    const FramePair pair = pairOf(*fixed, moving);
    if (pair.fixed && pair.moving) {
        side.requestForCache(pair);
        queue.requested(*fixed);
    } else if (!readable(*fixed) || !readable(moving)) {
        queue.fail();
    } else {
        cycleAwaitsFrame_ = true;
    }
}

void LiveView::endCycle() {
    if (!cycleRuns() && session_.cycle.total == 0)
        return;
    for (CycleQueue& queue : cycle_)
        queue.stop();
    session_.cycle.on = false;
    session_.cycle.finished = session_.cycle.total = 0;
    cycleAwaitsFrame_ = false;
    // The pair of the shown frame comes next.
    left_.forgetRequest();
    if (right_)
        right_->forgetRequest();
}

} // namespace systole
