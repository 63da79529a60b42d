#include "app/commands/track_run.h"

#include "app/commands/record_parts.h"
#include "app/error.h"
#include "compute/core/median.h"
#include "compute/motion/sequence_driver.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

std::string nameOf(const LandmarkSet& set, std::size_t point) {
    const std::string& name = set.points[point].name;
    return name.empty() ? fmt::format("{}", point + 1) : name;
}

std::vector<Vec3> voxelsOf(const TrackJob& job) {
    const Geometry& geometry = job.sequence.geometry;
    const Size3 size = geometry.size();
    std::vector<Vec3> voxels;
    for (std::size_t i = 0; i < job.points.points.size(); ++i) {
        const Vec3 p = job.points.points[i].position, v = geometry.physicalToIndex(p);
        for (int axis = 0; axis < 3; ++axis)
            if (!(v[axis] >= -0.5 && v[axis] <= size[axis] - 0.5))
                throw UsageError(fmt::format(
                    "--points: point {} at {:.2f}, {:.2f}, {:.2f} mm (LPS) lies outside the image",
                    nameOf(job.points, i), p.x, p.y, p.z));
        voxels.push_back(v);
    }
    return voxels;
}

/// What became of the points in a frame.
TrackedFrame summaryOf(const LandmarkOutcome& found, const TrackJob& job, LandmarkTracks& tracks) {
    const Geometry& geometry = job.sequence.geometry;
    TrackedFrame summary;
    summary.frame = found.frame;
    summary.seconds = found.seconds;
    summary.counts = found.counts;
    std::vector<double> lengths;
    for (std::size_t i = 0; i < found.points.size(); ++i) {
        const TrackedPoint& point = found.points[i];
        if (point.fate != TrackFate::Tracked)
            continue;
        const Vec3 now = geometry.indexToPhysical(point.position);
        tracks.tracks[i].frames[static_cast<std::size_t>(found.frame)] =
            TrackedPosition{now, double{point.certainty}};
        lengths.push_back(length(now - job.points.points[i].position));
        summary.meanCertainty += double{point.certainty};
    }
    if (!lengths.empty()) {
        summary.meanCertainty /= static_cast<double>(lengths.size());
        summary.largestMillimeters = *std::ranges::max_element(lengths);
        summary.medianMillimeters = median(std::move(lengths));
    }
    return summary;
}

/// Follows the points through frames `reference` + step, + 2·step …
void followThrough(const TrackJob& job, std::shared_ptr<const LandmarkStart> start, int step,
                   TrackOutcome& outcome, const ExecContext& ctx) {
    const int frames = job.sequence.frames;
    const auto image = std::make_shared<Volume>(job.sequence.geometry, *ctx.pool, "frame");
    LandmarkWork work;
    for (int t = job.reference + step; t >= 0 && t < frames; t += step) {
        ctx.throwIfCancelled();
        ctx.report(fmt::format("frame {}", t),
                   static_cast<double>(outcome.frames.size()) / std::max(frames - 1, 1));
        job.sequence.source->read(t, image->view());
        LandmarkTask task;
        task.frame = t;
        task.image = image;
        task.start = std::exchange(start, nullptr);
        LandmarkOutcome found;
        found.frame = t;
        work.run(task, found, ctx);
        outcome.frames.push_back(summaryOf(found, job, outcome.tracks));
    }
}

/// In every frame but the reference the points in the wall move with it.
void carryWall(const TrackJob& job, TrackOutcome& outcome, const ExecContext& given) {
    LandmarkTracks& tracks = outcome.tracks;
    const auto start = std::make_shared<const WallStart>(
        WallStart{*job.wall, positionsIn(tracks, tracks.reference), job.wallOptions});
    ExecContext ctx = given;
    WallWork work;
    for (const TrackedFrame& tracked : outcome.frames) {
        ctx.report("elastic wall", tracked.frame / static_cast<double>(job.sequence.frames));
        WallTask task{start, tracked.frame, positionsIn(tracks, tracked.frame)};
        WallOutcome carried;
        carried.frame = tracked.frame;
        work.run(task, carried, ctx);
        setPositions(tracks, tracked.frame, carried.positions);
        outcome.wall.push_back(std::move(carried));
    }
}

} // namespace

TrackOutcome runTracks(const TrackJob& job, const ExecContext& ctx) {
    const Sequence& sequence = job.sequence;
    if (job.reference >= sequence.frames)
        throw UsageError(fmt::format("--frame: {} has no frame {}; its frames are 0 to {}",
                                     sequence.name, job.reference, sequence.frames - 1));
    if (sequence.frames < 2)
        throw UsageError(fmt::format("landmarks track: {} has only one frame", sequence.name));
    const std::vector<Vec3> voxels = voxelsOf(job);
    TrackOutcome outcome;
    outcome.tracks.reference = job.reference;
    for (std::size_t i = 0; i < voxels.size(); ++i) {
        LandmarkTracks::Track track;
        track.name = nameOf(job.points, i);
        track.frames.resize(static_cast<std::size_t>(sequence.frames));
        track.frames[static_cast<std::size_t>(job.reference)] =
            TrackedPosition{job.points.points[i].position, 1};
        outcome.tracks.tracks.push_back(std::move(track));
    }
    ctx.report("gray values", 0);
    const IntensityScale scale = intensityScale(sequence, ctx);
    const auto image = std::make_shared<Volume>(sequence.geometry, *ctx.pool, "frame");
    sequence.source->read(job.reference, image->view());
    const auto start =
        std::make_shared<const LandmarkStart>(LandmarkStart{image, voxels, job.settings, scale});
    for (const int step : {-1, 1})
        followThrough(job, start, step, outcome, ctx);
    std::ranges::sort(outcome.frames, {}, &TrackedFrame::frame);
    if (job.wall)
        carryWall(job, outcome, ctx);
    return outcome;
}

Json sizeOf(Size3 size) { return {size.x, size.y, size.z}; }

Json framesOf(const TrackOutcome& outcome) {
    Json frames = Json::array();
    for (const TrackedFrame& frame : outcome.frames) {
        Json counts = Json::object();
        for (int fate = 0; fate < trackFates; ++fate)
            counts[name(static_cast<TrackFate>(fate))] =
                frame.counts[static_cast<std::size_t>(fate)];
        frames.push_back({{"frame", frame.frame},
                          {"points", std::move(counts)},
                          {"median_mm", frame.medianMillimeters},
                          {"largest_mm", frame.largestMillimeters},
                          {"mean_certainty", frame.meanCertainty},
                          {"seconds", frame.seconds}});
    }
    return frames;
}

Json wallOf(const TrackJob& job, const TrackOutcome& outcome) {
    if (outcome.wall.empty())
        return {};
    Json wall{{"labels", job.wall->file},
              {"label", outcome.wall.front().label},
              {"length_mm", job.wallOptions.length},
              {"points", outcome.wall.front().points},
              {"frames", Json::array()}};
    for (const WallOutcome& carried : outcome.wall) {
        const WallFrame& made = carried.made;
        wall["frames"].push_back({{"frame", carried.frame},
                                  {"unknowns", made.report.unknowns},
                                  {"iterations", made.report.iterations},
                                  {"carried", made.report.carried},
                                  {"mean_change_mm", made.meanChange},
                                  {"set_up_seconds", made.report.setUpSeconds},
                                  {"solve_seconds", made.report.solveSeconds},
                                  {"failure", nullIfEmpty(made.failure)}});
    }
    return wall;
}

} // namespace systole
