#include "app/features/landmarks/landmark_run.h"

#include "compute/core/elapsed.h"

#include <fmt/format.h>

#include <chrono>

namespace systole {
namespace {

std::vector<Corner> cornersOf(const LandmarkTask& task, const ExecContext& ctx) {
    const Geometry& grid = task.image->geometry;
    VolumeView<const float> mask;
    std::vector<float> wall;
    if (task.within) {
        const WallVoxels voxels = voxelsOf(*task.within, ctx);
        wall.assign(voxels.inWall.begin(), voxels.inWall.end());
        mask = {wall.data(), grid.size()};
    } else if (task.mask) {
        mask = task.mask->view();
    }
    return findCorners(task.image->view(), grid.spacing(), mask, *task.detect, ctx);
}

} // namespace

void LandmarkWork::run(const LandmarkTask& task, LandmarkOutcome& made, const ExecContext& ctx) {
    const auto begin = std::chrono::steady_clock::now();
    made.detected = task.detect.has_value();
    if (task.detect)
        made.corners = cornersOf(task, ctx);
    else
        track(task, made, ctx);
    made.seconds = secondsSince(begin);
}

void LandmarkWork::track(const LandmarkTask& task, LandmarkOutcome& made, const ExecContext& ctx) {
    const Geometry& grid = task.image->geometry;
    if (task.start) {
        tracker_.reset();
        tracker_.emplace(grid.size(), grid.spacing(), task.start->scale, task.start->settings, ctx);
        tracker_->start(task.start->image->view(), task.start->voxels, ctx);
    }
    const TrackStep step = tracker_->advance(task.image->view(), ctx);
    made.points.assign(step.points.begin(), step.points.end());
    made.counts = step.counts;
}

LandmarkSet landmarksOf(const std::vector<Corner>& corners, const Geometry& grid, int frame) {
    LandmarkSet set;
    set.frame = frame;
    for (const Corner& corner : corners) {
        const Voxel v = corner.voxel;
        set.points.push_back({fmt::format("C{}", set.points.size() + 1),
                              grid.indexToPhysical({double(v.x), double(v.y), double(v.z)})});
    }
    return set;
}

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

} // namespace systole
