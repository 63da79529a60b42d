#include "app/commands/track_run.h"

#include "app/commands/record_parts.h"
#include "app/error.h"
#include "compute/core/elapsed.h"
#include "compute/core/median.h"
#include "compute/motion/sequence_driver.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

Json sizeJson(Size3 size) { return {size.x, size.y, size.z}; }

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

/// Follows the points through frames `reference` + step, + 2·step …
void followThrough(const TrackJob& job, const std::vector<Vec3>& voxels, int step,
                   LandmarkTracker& tracker, Volume& frame, TrackOutcome& outcome,
                   const ExecContext& ctx) {
    const Geometry& geometry = job.sequence.geometry;
    const int frames = job.sequence.frames;
    if (job.reference + step < 0 || job.reference + step >= frames)
        return;
    job.sequence.source->read(job.reference, frame.view());
    tracker.start(frame.view(), voxels, ctx);
    for (int t = job.reference + step; t >= 0 && t < frames; t += step) {
        ctx.throwIfCancelled();
        ctx.report(fmt::format("frame {}", t),
                   static_cast<double>(outcome.frames.size()) / std::max(frames - 1, 1));
        job.sequence.source->read(t, frame.view());
        const auto begin = std::chrono::steady_clock::now();
        const TrackStep found = tracker.advance(frame.view(), ctx);
        TrackedFrame summary;
        summary.frame = t;
        summary.seconds = secondsSince(begin);
        summary.counts = found.counts;
        std::vector<double> lengths;
        for (std::size_t i = 0; i < voxels.size(); ++i) {
            const TrackedPoint& point = found.points[i];
            if (point.fate != TrackFate::Tracked)
                continue;
            const Vec3 now = geometry.indexToPhysical(point.position);
            outcome.tracks.tracks[i].frames[static_cast<std::size_t>(t)] =
                TrackedPosition{now, double{point.certainty}};
            lengths.push_back(length(now - job.points.points[i].position));
            summary.meanCertainty += double{point.certainty};
        }
        if (!lengths.empty()) {
            summary.meanCertainty /= static_cast<double>(lengths.size());
            summary.largestMillimeters = *std::ranges::max_element(lengths);
            summary.medianMillimeters = median(std::move(lengths));
        }
        outcome.frames.push_back(summary);
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
    LandmarkTracker tracker(sequence.geometry.size(), sequence.geometry.spacing(),
                            intensityScale(sequence, ctx), job.settings, ctx);
    Volume frame(sequence.geometry, *ctx.pool, "frame");
    for (const int step : {-1, 1})
        followThrough(job, voxels, step, tracker, frame, outcome, ctx);
    std::ranges::sort(outcome.frames, {}, &TrackedFrame::frame);
    if (!job.wall.labels.empty())
        outcome.wall = carryTracks(job.wall, sequence.geometry, outcome.tracks, ctx);
    return outcome;
}

std::string trackRecord(const TrackJob& job, const TrackOutcome& outcome,
                        const std::vector<std::string>& files, const std::string& points,
                        const std::string& output, int threads) {
    const TrackerSettings& settings = job.settings;
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
    Json wall;
    if (outcome.wall) {
        wall = {{"labels", job.wall.labels},
                {"label", outcome.wall->label},
                {"length_mm", job.wall.options.length},
                {"points", outcome.wall->points},
                {"frames", Json::array()}};
        for (const auto& [frame, made] : outcome.wall->frames)
            wall["frames"].push_back(
                {{"frame", frame},
                 {"unknowns", made.report.unknowns},
                 {"iterations", made.report.iterations},
                 {"carried", made.report.carried},
                 {"mean_change_mm", made.meanChange},
                 {"set_up_seconds", made.report.setUpSeconds},
                 {"solve_seconds", made.report.solveSeconds},
                 {"failure", made.failure.empty() ? Json() : Json(made.failure)}});
    }
    const Json record{{"program", programOf()},
                      {"finished", timeNow()},
                      {"frame_of_reference", "LPS"},
                      {"units", "mm"},
                      {"files", files},
                      {"points", points},
                      {"output", output},
                      {"backend", name(job.backend.backend)},
                      {"backend_reason", job.backend.reason},
                      {"reference_frame", job.reference},
                      {"tracks", outcome.tracks.tracks.size()},
                      {"parameters",
                       {{"from", settings.from == TrackFrom::Previous ? "previous" : "reference"},
                        {"patch_radius_voxels", sizeJson(settings.patchRadius)},
                        {"search_radius_voxels", sizeJson(settings.searchRadius)},
                        {"levels", settings.levels},
                        {"refine_radius_voxels", settings.refineRadius},
                        {"backward_tolerance_spacings", settings.backwardTolerance},
                        {"greatest_ratio", settings.greatestRatio},
                        {"outliers", outlierTests[static_cast<int>(settings.outliers)]}}},
                      {"frames", std::move(frames)},
                      {"elastic_wall", std::move(wall)},
                      {"machine", machineOf(threads)},
                      {"libraries", librariesOf()}};
    return record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace systole
