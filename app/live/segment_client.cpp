#include "app/live/segment_client.h"

#include "app/segmentation/chamber_motion.h"
#include "compute/core/elapsed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

namespace systole {
namespace {

constexpr double retrySeconds = 0.01; ///< while a frame is being decoded
constexpr const char* stepName = "segmentation";

/// The first frame, those after it, then those before it, backwards: each is beside one that is
/// known.
std::vector<int> orderFrom(int first, int frames, bool all) {
    std::vector<int> order{first};
    for (int frame = first + 1; all && frame < frames; ++frame)
        order.push_back(frame);
    for (int frame = first - 1; all && frame >= 0; --frame)
        order.push_back(frame);
    return order;
}

} // namespace

void showSegmentation(Session& session) {
    SurfaceChoice& choice = session.surface.choice;
    if (choice.source == SurfaceOrigin::Segmentation && choice.label == session.segment.label)
        return;
    if (choice.source != SurfaceOrigin::Segmentation)
        choice.carried = false;
    choice.source = SurfaceOrigin::Segmentation;
    choice.label = session.segment.label;
    ++choice.revision;
}

void SegmentClient::follow(Session& session, const FrameOf& frame, const Readable& readable) {
    SegmentSession& segment = session.segment;
    const Sequence& sequence = session.opened->sequence;
    if (segment.labels.frames() != sequence.frames) {
        segment.labels.reset(sequence.geometry, sequence.frames);
        segment.savedRevision = segment.labels.revision();
    }
    if (std::exchange(segment.wantedStop, false) && segment.running) {
        if (run_)
            run_->cancel();
        end(segment, {});
        segment.note =
            fmt::format("Stopped: {} of {} frames are segmented.", segment.finished, segment.total);
    }
    if (std::exchange(segment.wantedClear, false))
        clear(segment);
    usePointer(session);
    if (std::exchange(segment.wantedStart, false))
        start(session);
    // A stroke or a pull isn't interrupted by a result.
    if (run_ && segment.running && !dragging_)
        if (std::optional<SegmentOutcome> outcome = run_->take())
            take(session, std::move(*outcome));
    if (segment.running && !asked_)
        startNext(session, frame, readable);
    if (segment.running) {
        const SegmentRun::Progress progress = run_ ? run_->progress() : SegmentRun::Progress{};
        segment.phase = progress.phase;
        segment.fraction = (segment.finished + progress.fraction) / segment.total;
    }
}

void SegmentClient::start(Session& session) {
    SegmentSession& segment = session.segment;
    if (run_)
        run_->cancel();
    segment.running = false;
    segment.failure.clear();
    segment.note.clear();
    if (const std::string why = whyNoSegmentation(session); !why.empty())
        return end(segment, "No segmentation now: " + why + ".");
    if (segment.seeds.size() != segment.seedsWanted())
        return end(segment, "A segmentation starts from one click or from three points.");
    const Geometry& grid = session.opened->sequence.geometry;
    if (std::exchange(segment.seedsInVoxels, false))
        std::ranges::transform(segment.seeds, segment.seeds.begin(),
                               [&](Vec3 voxel) { return grid.indexToPhysical(voxel); });
    seeds_ = {};
    if (segment.byPoints)
        seeds_.points = VentriclePoints{segment.seeds[0], segment.seeds[1], segment.seeds[2]};
    else
        seeds_.click = segment.seeds.front();
    session.playback.pause();
    segment.seedFrame = session.playback.frame();
    order_ = orderFrom(segment.seedFrame, session.opened->sequence.frames, segment.allFrames);
    next_ = 0;
    asked_ = false;
    firstImage_.reset();
    step_ = -1;
    started_ = Clock::now();
    segment.running = true;
    segment.finished = 0;
    segment.total = static_cast<int>(order_.size());
    segment.fraction = 0;
    segment.phase.clear();
    if (!run_)
        run_ = std::make_unique<SegmentRun>(
            SegmentRun::Options{.threads = session.estimationThreads, .notify = notify_});
}

void SegmentClient::startNext(Session& session, const FrameOf& frame, const Readable& readable) {
    const int wanted = order_[next_];
    SegmentTask task;
    task.frame = wanted;
    task.image = frame(wanted);
    awaitsFrame_ = !task.image;
    if (awaitsFrame_ && !readable(wanted)) {
        awaitsFrame_ = false;
        end(session.segment, fmt::format("Frame {} can't be read.", wanted));
    }
    if (!task.image)
        return;
    task.seeds = seeds_;
    task.options = session.segment.options;
    task.options.clickInWall = task.options.clickInWall && seeds_.click.has_value();
    if (next_ == 0)
        firstImage_ = task.image;
    task.goesOn = next_ > 0;
    if (task.goesOn && wanted + 1 == order_.front())
        task.from = firstImage_;
    asked_ = true;
    run_->start(std::move(task));
}

void SegmentClient::take(Session& session, SegmentOutcome outcome) {
    SegmentSession& segment = session.segment;
    asked_ = false;
    if (!outcome.found)
        return end(segment, order_.size() > 1
                                ? fmt::format("Frame {}: {}.", outcome.frame, outcome.failure)
                                : outcome.failure + ".");
    keep(session, outcome);
    ++segment.finished;
    if (++next_ < order_.size())
        return;
    segment.seconds = secondsSince(started_);
    end(segment, {});
    if (places(segment.tool))
        segment.tool = SegmentTool::None; // it has done its work
}

/// All results of a run are one step back, unless the user edits in between.
void SegmentClient::keep(Session& session, const SegmentOutcome& outcome) {
    SegmentSession& segment = session.segment;
    if (step_ < 0 || segment.labels.position() != step_)
        segment.labels.begin(stepName);
    segment.labels.replace(outcome.frame, outcome.found->labels);
    step_ = segment.labels.position();
    const double milliliters = outcome.found->milliliters;
    const bool follows = next_ > 0 && outcome.frame == order_[next_ - 1] + 1;
    if (follows && milliliters > suddenGrowth * lastMilliliters_)
        segment.note = fmt::format("The chamber grows by {:.0f} % from frame {} to {}: look "
                                   "whether it has run into its neighbor there and after.",
                                   100 * (milliliters / lastMilliliters_ - 1), outcome.frame - 1,
                                   outcome.frame);
    lastMilliliters_ = milliliters;
    showSegmentation(session);
}

void SegmentClient::end(SegmentSession& segment, std::string failure) {
    segment.running = false;
    segment.phase.clear();
    segment.fraction = 0;
    segment.failure = std::move(failure);
    asked_ = awaitsFrame_ = false;
    firstImage_.reset();
    segment.labels.end();
}

void SegmentClient::clear(SegmentSession& segment) {
    if (run_)
        run_->cancel();
    end(segment, {});
    segment.note.clear();
    segment.seeds.clear();
    segment.labels.begin("removal of the labels");
    for (int frame = 0; frame < segment.labels.frames(); ++frame)
        segment.labels.remove(frame);
    segment.labels.end();
}

void SegmentClient::forget(SegmentSession& segment) {
    run_.reset();
    dragging_ = false;
    end(segment, {});
    if (segment.labels.frames() > 0) // points from before the first file are for it
        segment.seeds.clear();
    segment.labels.reset(Geometry(), 0);
    segment.note.clear();
    segment.finished = segment.total = 0;
    segment.pointer.clear();
    segment.over.reset();
    segment.wantedStart = segment.wantedStop = segment.wantedClear = false;
}

double SegmentClient::secondsToNextTick(const SegmentSession& segment) const {
    if (segment.wantedStart || segment.wantedStop || segment.wantedClear ||
        !segment.pointer.empty())
        return 0;
    return awaitsFrame_ ? retrySeconds : std::numeric_limits<double>::infinity();
}

} // namespace systole
