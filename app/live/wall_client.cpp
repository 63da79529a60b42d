#include "app/live/wall_client.h"

#include "app/landmarks/landmark_figures.h"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace systole {
namespace {

/// The tracks of all frames as they were found.
void restoreFound(LandmarkSession& landmarks) {
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

std::string whyNoWall(const Session& session, int frame) {
    const LandmarkSession& landmarks = session.landmarks;
    const LabelHistory& labels = session.segment.labels;
    switch (wallOrigin(landmarks.parameters)) {
    case WallOrigin::None:
        return "Choose an elastic wall first.";
    case WallOrigin::File:
        return landmarks.wall.file.empty() ? "Choose the label map of the wall." : "";
    default:
        if (frame < labels.frames() && labels.has(frame))
            return "";
        return fmt::format(
            "Frame {}, in which the points begin, has no labels yet: segment it with "
            "its wall.",
            frame);
    }
}

WallSource wallSource(const Session& session, int frame) {
    const LandmarkSession& landmarks = session.landmarks;
    WallSource source;
    source.grid = session.opened->sequence.geometry;
    source.label = landmarks.parameters.integer("elastic-label");
    if (wallOrigin(landmarks.parameters) == WallOrigin::Segmentation)
        source.labels = session.segment.labels.labels(frame);
    else
        source.file = landmarks.wall.file;
    return source;
}

WallClient::Source WallClient::sourceOf(const Session& session) {
    const LandmarkSession& landmarks = session.landmarks;
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
    const LabelHistory& labels = session.segment.labels;
    if (source.origin == WallOrigin::File)
        source.file = landmarks.wall.file;
    else if (const int frame = landmarks.found.reference; frame < labels.frames())
        source.labels = labels.revision(frame);
    return source;
}

void WallClient::follow(Session& session) {
    LandmarkSession& landmarks = session.landmarks;
    if (Source source = sourceOf(session); !(source == source_))
        begin(session, source);
    if (asked_)
        if (std::optional<WallOutcome> outcome = run_->take())
            take(landmarks, std::move(*outcome));
    if (start_ && !asked_)
        startNext(session);
    landmarks.wall.running = asked_;
}

void WallClient::begin(Session& session, const Source& source) {
    LandmarkSession& landmarks = session.landmarks;
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
    wall.waiting = source.origin == WallOrigin::None ? "" : whyNoWall(session, reference);
    // What the wall before it moved stays until it is moved anew, or there is no wall.
    if (source.origin == WallOrigin::None || !wall.waiting.empty())
        return restoreFound(landmarks);
    start_ = std::make_shared<const WallStart>(WallStart{wallSource(session, reference),
                                                         positionsIn(landmarks.found, reference),
                                                         wallOptions(landmarks.parameters)});
    if (!run_)
        run_ = std::make_unique<WallRun>(
            WallRun::Options{.threads = session.estimationThreads, .notify = notify_});
}

void WallClient::take(LandmarkSession& landmarks, WallOutcome outcome) {
    asked_ = false;
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
void WallClient::startNext(const Session& session) {
    const LandmarkSession& landmarks = session.landmarks;
    const auto distance = [&](int frame) { return std::abs(frame - session.shownFrame); };
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

void WallClient::forget() {
    run_.reset();
    start_.reset();
    asked_ = false;
    source_ = {};
}

double WallClient::secondsToNextTick(const Session& session) const {
    const bool follows = !session.opened || sourceOf(session) == source_;
    return follows ? std::numeric_limits<double>::infinity() : 0;
}

} // namespace systole
