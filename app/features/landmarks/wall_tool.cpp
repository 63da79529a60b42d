#include "app/features/landmarks/wall_tool.h"

#include "app/feature/tools.h"
#include "app/features/landmarks/landmark_figures.h"

#include <cstdlib>
#include <optional>
#include <utility>

namespace systole {
namespace {

/// The tracks of all frames as they were found.
void restoreFound(LandmarkState& landmarks) {
    bool any = false;
    for (std::size_t frame = 0; frame < landmarks.frames.size(); ++frame) {
        auto& figures = landmarks.frames[frame];
        if (!figures || !figures->wall)
            continue;
        figures->wall.reset();
        const int index = static_cast<int>(frame);
        setPositions(landmarks.tracks, index, positionsIn(landmarks.found, index));
        renewFigures(landmarks, index);
        any = true;
    }
    if (any)
        showTracks(landmarks);
}

} // namespace

PointSource& WallTool::points() const { return tools().get<PointSource>(); }

WallTool::Source WallTool::sourceNow() const {
    const LandmarkState& landmarks = this->landmarks();
    Source source;
    source.generation = landmarks.generation;
    source.origin =
        landmarks.found.tracks.empty() ? WallOrigin::None : wallOrigin(landmarks.parameters);
    if (source.origin == WallOrigin::None)
        return source;
    const elasticity::WallTrackOptions options = wallOptions(landmarks.parameters);
    source.label = landmarks.parameters.integer("elastic-label");
    source.length = options.length;
    source.poisson = options.material.poissonRatio;
    if (source.origin == WallOrigin::File)
        source.file = landmarks.wall.file;
    else if (const auto* labels = tools().find<LabelSource>())
        source.labels = labels->revision(landmarks.found.reference);
    return source;
}

void WallTool::follow(ToolContext&) {
    if (const Source source = sourceNow(); !(source == source_))
        begin(source);
    if (asked_)
        if (std::optional<WallOutcome> outcome = run_->take())
            take(std::move(*outcome));
    if (start_ && !asked_)
        startNext();
    landmarks().wall.running = asked_;
}

void WallTool::begin(const Source& source) {
    LandmarkState& landmarks = this->landmarks();
    LandmarkWall& wall = landmarks.wall;
    if (run_)
        run_->cancel();
    asked_ = false;
    start_.reset();
    source_ = source;
    done_.assign(landmarks.frames.size(), false);
    wall.label = wall.points = wall.finished = 0;
    wall.failure.clear();
    const int reference = landmarks.found.reference;
    wall.waiting = source.origin == WallOrigin::None ? "" : points().whyNoWall(reference);
    // What the wall before it moved stays until it is moved anew, or there is no wall.
    if (source.origin == WallOrigin::None || !wall.waiting.empty())
        return restoreFound(landmarks);
    start_ = std::make_shared<const WallStart>(WallStart{points().wallOf(reference),
                                                         positionsIn(landmarks.found, reference),
                                                         wallOptions(landmarks.parameters)});
    if (!run_)
        run_ = std::make_unique<WallRun>(
            WallRun::Options{.threads = session().estimationThreads, .notify = notify()});
}

void WallTool::take(WallOutcome outcome) {
    asked_ = false;
    LandmarkState& landmarks = this->landmarks();
    LandmarkWall& wall = landmarks.wall;
    if (!outcome.failure.empty()) {
        start_.reset();
        wall.finished = 0;
        wall.failure = std::move(outcome.failure);
        return restoreFound(landmarks);
    }
    wall.label = outcome.label;
    wall.points = outcome.points;
    ++wall.finished;
    const auto index = static_cast<std::size_t>(outcome.frame);
    done_[index] = true;
    setPositions(landmarks.tracks, outcome.frame, outcome.positions);
    landmarks.frames[index]->wall = std::move(outcome.made);
    renewFigures(landmarks, outcome.frame);
    showTracks(landmarks);
}

/// The frame nearest to the one shown that is found and not moved yet.
void WallTool::startNext() {
    const LandmarkState& landmarks = this->landmarks();
    const auto distance = [&](int frame) { return std::abs(frame - session().shownFrame); };
    int next = -1;
    for (int frame = 0; frame < static_cast<int>(done_.size()); ++frame) {
        const auto index = static_cast<std::size_t>(frame);
        if (landmarks.frames[index] && !done_[index] &&
            (next < 0 || distance(frame) < distance(next)))
            next = frame;
    }
    if (next < 0)
        return;
    run_->start({start_, next, positionsIn(landmarks.found, next)});
    asked_ = true;
}

void WallTool::opened(const OpenedSequence&) {
    run_.reset();
    start_.reset();
    asked_ = false;
    source_ = {};
}

double WallTool::secondsToNextTick() const { return sourceNow() == source_ ? never : 0; }

void WallTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Elastic wall: ", landmarks().wall.failure});
}

} // namespace systole
