#include "app/live/landmark_client.h"

#include "app/landmarks/landmark_figures.h"
#include "app/live/wall_client.h"
#include "compute/core/error.h"
#include "io/landmarks/landmark_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace systole {
namespace {

constexpr double retrySeconds = 0.01; ///< while a frame is being decoded

/// The frames after the first one, then those before it, backwards: each beside one that is known.
std::vector<int> orderFrom(int first, int frames) {
    std::vector<int> order;
    for (int frame = first + 1; frame < frames; ++frame)
        order.push_back(frame);
    for (int frame = first - 1; frame >= 0; --frame)
        order.push_back(frame);
    return order;
}

/// Points as voxels of the grid. Throws ComputeError, naming the first that lies outside.
std::vector<Vec3> voxelsOf(const LandmarkSet& points, const Geometry& grid) {
    const Size3 size = grid.size();
    std::vector<Vec3> voxels;
    for (const Landmark& point : points.points) {
        const Vec3 p = point.position, v = grid.physicalToIndex(p);
        for (int axis = 0; axis < 3; ++axis)
            if (!(v[axis] >= -0.5 && v[axis] <= size[axis] - 0.5))
                throw ComputeError(fmt::format(
                    "Point {} at {:.2f}, {:.2f}, {:.2f} mm (LPS) lies outside the image.",
                    point.name.empty() ? std::to_string(voxels.size() + 1) : point.name, p.x, p.y,
                    p.z));
        voxels.push_back(v);
    }
    return voxels;
}

/// The points in their own frame, and nothing yet in the others.
LandmarkTracks tracksOf(const LandmarkSet& points, int frames) {
    LandmarkTracks tracks;
    tracks.reference = points.frame;
    for (const Landmark& point : points.points) {
        LandmarkTracks::Track& track = tracks.tracks.emplace_back();
        track.name = point.name.empty() ? std::to_string(tracks.tracks.size()) : point.name;
        track.frames.resize(static_cast<std::size_t>(frames));
        track.frames[static_cast<std::size_t>(points.frame)] = TrackedPosition{point.position, 1};
    }
    return tracks;
}

std::size_t framesOf(const LandmarkTracks& tracks) {
    std::size_t frames = 0;
    for (const LandmarkTracks::Track& track : tracks.tracks)
        frames = std::max(frames, track.frames.size());
    return frames;
}

} // namespace

void LandmarkClient::follow(Session& session, const FrameOf& frame, const Readable& readable) {
    LandmarkSession& landmarks = session.landmarks;
    if (std::exchange(landmarks.wantedStop, false) && landmarks.running) {
        end(landmarks, {});
        used_ = landmarks.parameters;
    }
    if (std::exchange(landmarks.wantedClear, false))
        clear(landmarks);
    if (!landmarks.wantedExpert.empty())
        openExpert(session);
    if (!landmarks.wantedFile.empty())
        open(session);
    usePointer(session);
    if (std::exchange(landmarks.wantedDelete, false))
        remove(session);
    // A segmentation under way may be about to say where the wall is.
    awaitsWall_ = landmarks.wantedDetect && findsInWall(landmarks.parameters) &&
                  wallOrigin(landmarks.parameters) == WallOrigin::Segmentation &&
                  session.segment.unfinished();
    if (!awaitsWall_ && std::exchange(landmarks.wantedDetect, false))
        detect(session, landmarks.detectIn >= 0 ? landmarks.detectIn : session.playback.frame());
    else if (outdated(landmarks, LandmarkPart::Detection))
        detect(session, detecting_ ? order_.front() : landmarks.points->frame);
    else if (outdated(landmarks, LandmarkPart::Tracking) ||
             (landmarks.points != tracked_ && !detecting_))
        track(session);
    if (run_ && landmarks.running)
        if (std::optional<LandmarkOutcome> outcome = run_->take())
            take(session, std::move(*outcome));
    if (landmarks.running && !asked_)
        startNext(session, frame, readable);
}

/// Whether the user has changed what the points or their tracks were made with.
bool LandmarkClient::outdated(const LandmarkSession& landmarks, LandmarkPart part) const {
    const bool concerned = part == LandmarkPart::Detection
                               ? landmarks.detected || detecting_
                               : !landmarks.points->points.empty() && !detecting_;
    return concerned && !sameParameters(landmarks.parameters, used_, part);
}

void LandmarkClient::open(Session& session) {
    LandmarkSession& landmarks = session.landmarks;
    const std::string file = std::exchange(landmarks.wantedFile, {});
    const Sequence& sequence = session.opened->sequence;
    try {
        if (isTracksFile(file))
            return openTracks(session, readTracks(file));
        const StoredLandmarks stored = readLandmarks(file, {sequence.geometry});
        voxelsOf(stored.set, sequence.geometry);
        clear(landmarks);
        landmarks.points = std::make_shared<const LandmarkSet>(
            LandmarkSet{std::max(stored.set.frame, 0), stored.set.points});
        landmarks.step = "landmarks of a file";
        if (!stored.notes.empty())
            landmarks.note = stored.notes.front();
    } catch (const std::exception& error) {
        return end(landmarks, error.what());
    }
    track(session);
}

void LandmarkClient::openTracks(Session& session, LandmarkTracks tracks) {
    LandmarkSession& landmarks = session.landmarks;
    const int frames = session.opened->sequence.frames;
    if (framesOf(tracks) != static_cast<std::size_t>(frames))
        return end(landmarks,
                   fmt::format("Tracks of {} frames can't be shown over {}, which has {}.",
                               framesOf(tracks), session.opened->sequence.name, frames));
    clear(landmarks);
    begin(landmarks, std::move(tracks));
    landmarks.frames.resize(static_cast<std::size_t>(frames));
    compare(landmarks);
    for (int frame = 0; frame < frames; ++frame) {
        if (frame == landmarks.tracks.reference)
            continue;
        LandmarkFrame figures = figuresOf(landmarks.tracks, landmarks.matched, frame);
        figures.fatesKnown = false;
        landmarks.frames[static_cast<std::size_t>(frame)] = figures;
    }
    showTracks(landmarks);
}

void LandmarkClient::openExpert(Session& session) {
    LandmarkSession& landmarks = session.landmarks;
    const std::string file = std::exchange(landmarks.wantedExpert, {});
    try {
        if (!isTracksFile(file))
            throw ComputeError(fmt::format(
                "{}: tracks are expected as the reference, as 'systole landmarks track' writes "
                "them.",
                file));
        landmarks.expert = std::make_shared<const LandmarkTracks>(readTracks(file));
        landmarks.expertFile = file;
        landmarks.failure.clear();
    } catch (const std::exception& error) {
        landmarks.failure = error.what();
        return;
    }
    compare(landmarks);
    for (std::size_t frame = 0; frame < landmarks.frames.size(); ++frame)
        if (landmarks.frames[frame])
            renewFigures(landmarks, static_cast<int>(frame));
    if (landmarks.scene)
        showTracks(landmarks);
}

/// Pairs the tracks with the reference's.
void LandmarkClient::compare(LandmarkSession& landmarks) {
    landmarks.matched.clear();
    if (!landmarks.expert || landmarks.tracks.tracks.empty())
        return;
    try {
        landmarks.matched = matchTracks(landmarks.tracks, *landmarks.expert);
        landmarks.note.clear();
    } catch (const std::exception& error) {
        landmarks.note = fmt::format("No errors: {}.", error.what());
    }
}

void LandmarkClient::detect(Session& session, int frame) {
    session.landmarks.failure.clear();
    if (frame >= session.opened->sequence.frames)
        return end(session.landmarks, fmt::format("{} has no frame {}; its frames are 0 to {}.",
                                                  session.opened->sequence.name, frame,
                                                  session.opened->sequence.frames - 1));
    if (findsInWall(session.landmarks.parameters))
        if (const std::string why = whyNoWall(session, frame); !why.empty()) {
            used_ = session.landmarks.parameters;
            return end(session.landmarks, why);
        }
    detecting_ = true;
    search(session, {frame});
}

void LandmarkClient::track(Session& session) {
    LandmarkSession& landmarks = session.landmarks;
    const Sequence& sequence = session.opened->sequence;
    const int first = landmarks.points->frame;
    detecting_ = false;
    used_ = landmarks.parameters;
    tracked_ = landmarks.points;
    landmarks.failure.clear();
    if (landmarks.points->points.empty())
        return clear(landmarks);
    if (landmarks.selected >= static_cast<int>(landmarks.points->points.size()))
        landmarks.selected = -1;
    if (first >= sequence.frames)
        return end(landmarks, fmt::format("The points are of frame {}; the frames of {} are 0 to "
                                          "{}.",
                                          first, sequence.name, sequence.frames - 1));
    try {
        voxels_ = voxelsOf(*landmarks.points, sequence.geometry);
    } catch (const ComputeError& error) {
        return end(landmarks, error.what());
    }
    begin(landmarks, tracksOf(*landmarks.points, sequence.frames));
    landmarks.frames.assign(static_cast<std::size_t>(sequence.frames), std::nullopt);
    compare(landmarks);
    showTracks(landmarks);
    search(session, orderFrom(first, sequence.frames));
}

void LandmarkClient::search(Session& session, std::vector<int> order) {
    LandmarkSession& landmarks = session.landmarks;
    if (run_)
        run_->cancel();
    order_ = std::move(order);
    next_ = 0;
    asked_ = false;
    firstImage_.reset();
    used_ = landmarks.parameters;
    landmarks.running = !order_.empty();
    landmarks.finished = 0;
    landmarks.total = static_cast<int>(order_.size());
    if (!run_)
        run_ = std::make_unique<LandmarkRun>(
            LandmarkRun::Options{.threads = session.estimationThreads, .notify = notify_});
}

void LandmarkClient::startNext(Session& session, const FrameOf& frame, const Readable& readable) {
    const LandmarkSession& landmarks = session.landmarks;
    const int wanted = order_[next_];
    // Either direction begins with the frame of the points.
    const int first = landmarks.points->frame;
    const bool anew = !detecting_ && (next_ == 0 || wanted == first - 1);
    if (anew && !firstImage_)
        firstImage_ = frame(first);
    LandmarkTask task;
    task.frame = wanted;
    if (!anew || firstImage_)
        task.image = frame(wanted);
    awaitsFrame_ = !task.image;
    if (awaitsFrame_) {
        const int missing = anew && !firstImage_ ? first : wanted;
        if (!readable(missing))
            end(session.landmarks, fmt::format("Frame {} can't be read.", missing));
        return;
    }
    if (detecting_) {
        task.detect = cornerSettings(used_);
        if (findsInWall(used_))
            task.within = wallSource(session, wanted);
    } else if (anew)
        task.start = std::make_shared<const LandmarkStart>(
            LandmarkStart{firstImage_, voxels_,
                          trackerSettings(used_, session.opened->sequence.geometry.spacing()),
                          session.opened->scale});
    asked_ = true;
    run_->start(std::move(task));
}

void LandmarkClient::take(Session& session, LandmarkOutcome outcome) {
    LandmarkSession& landmarks = session.landmarks;
    asked_ = false;
    if (!outcome.failure.empty())
        return end(landmarks, fmt::format("Frame {}: {}", outcome.frame, outcome.failure));
    const Geometry& grid = session.opened->sequence.geometry;
    if (outcome.detected) {
        detecting_ = false;
        if (outcome.corners.empty()) {
            clear(landmarks);
            return end(landmarks, fmt::format("Frame {} has no corners.", outcome.frame));
        }
        LandmarkSet found{outcome.frame, {}};
        for (const Corner& corner : outcome.corners)
            found.points.push_back(
                {fmt::format("C{}", found.points.size() + 1),
                 grid.indexToPhysical(
                     {double(corner.voxel.x), double(corner.voxel.y), double(corner.voxel.z)})});
        landmarks.points = std::make_shared<const LandmarkSet>(std::move(found));
        landmarks.step = "landmarks found";
        landmarks.detected = true;
        landmarks.seconds = outcome.seconds;
        return track(session);
    }
    const auto index = static_cast<std::size_t>(outcome.frame);
    for (std::size_t i = 0; i < outcome.points.size(); ++i)
        if (const TrackedPoint& point = outcome.points[i]; point.fate == TrackFate::Tracked)
            landmarks.found.tracks[i].frames[index] =
                TrackedPosition{grid.indexToPhysical(point.position), double{point.certainty}};
    setPositions(landmarks.tracks, outcome.frame, positionsIn(landmarks.found, outcome.frame));
    LandmarkFrame figures = figuresOf(landmarks.tracks, landmarks.matched, outcome.frame);
    figures.counts = outcome.counts;
    for (const TrackedPoint& point : outcome.points)
        figures.fates.push_back(point.fate);
    figures.seconds = outcome.seconds;
    landmarks.frames[index] = figures;
    showTracks(landmarks);
    ++landmarks.finished;
    if (++next_ == order_.size())
        end(landmarks, {});
}

/// The tracks of other points than before.
void LandmarkClient::begin(LandmarkSession& landmarks, LandmarkTracks tracks) {
    landmarks.tracks = tracks;
    landmarks.found = std::move(tracks);
    ++landmarks.generation;
}

void LandmarkClient::end(LandmarkSession& landmarks, std::string failure) {
    if (run_)
        run_->cancel();
    landmarks.running = false;
    landmarks.failure = std::move(failure);
    asked_ = awaitsFrame_ = detecting_ = false;
    firstImage_.reset();
}

void LandmarkClient::clear(LandmarkSession& landmarks) {
    end(landmarks, {});
    landmarks.note.clear();
    landmarks.points = tracked_ = noLandmarks();
    landmarks.detected = false;
    landmarks.selected = -1;
    landmarks.dragged.reset();
    dragging_ = false;
    begin(landmarks, {});
    landmarks.frames.clear();
    landmarks.scene.reset();
    landmarks.finished = landmarks.total = 0;
    landmarks.matched.clear();
}

void LandmarkClient::forget(Session& session) {
    LandmarkSession& landmarks = session.landmarks;
    run_.reset();
    clear(landmarks);
    if (!session.opened)
        return;
    landmarks.expert.reset();
    landmarks.expertFile.clear();
    landmarks.wantedFile.clear();
    landmarks.wantedExpert.clear();
    landmarks.wantedDetect = landmarks.wantedStop = landmarks.wantedClear = false;
    landmarks.wantedDelete = false;
    landmarks.wall.file.clear();
}

double LandmarkClient::secondsToNextTick(const LandmarkSession& landmarks) const {
    const bool wanted = (landmarks.wantedDetect && !awaitsWall_) || landmarks.wantedStop ||
                        landmarks.wantedClear || landmarks.wantedDelete ||
                        !landmarks.wantedFile.empty() || !landmarks.wantedExpert.empty() ||
                        (landmarks.points != tracked_ && !detecting_);
    if (wanted || outdated(landmarks, LandmarkPart::Detection) ||
        outdated(landmarks, LandmarkPart::Tracking))
        return 0;
    return awaitsFrame_ || awaitsWall_ ? retrySeconds : std::numeric_limits<double>::infinity();
}

} // namespace systole
