// systole landmarks track: points followed through a sequence.
#include "app/base/error.h"
#include "app/cli/command_work.h"
#include "app/cli/option_checks.h"
#include "app/cli/record_parts.h"
#include "app/cli/task_options.h"
#include "app/features/landmarks/landmark_coordinates.h"
#include "app/features/landmarks/landmark_course.h"
#include "app/features/landmarks/landmark_parameters.h"
#include "app/features/landmarks/landmarks_command.h"
#include "app/features/landmarks/wall_course.h"
#include "compute/core/median.h"
#include "compute/core/sequence.h"
#include "compute/landmarks/tracker.h"
#include "compute/motion/sequence_driver.h"
#include "io/landmarks/landmark_file.h"
#include "io/source.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

struct TrackJob {
    Sequence sequence;
    LandmarkSet points;
    TrackerSettings settings;
    std::optional<WallSource> wall{}; ///< wall in the frame of the points
    elasticity::WallTrackOptions wallOptions{};
};

struct TrackedFrame {
    int frame = 0;
    std::array<int, trackFates> counts{}; ///< points by fate
    double medianMillimeters = 0,
           largestMillimeters = 0; ///< tracked points, since the reference
    double meanCertainty = 0;
    double seconds = 0; ///< tracking, without reading
};

struct TrackOutcome {
    LandmarkTracks tracks;
    std::vector<TrackedFrame> frames; ///< all frames but the reference, in the order of time
    std::vector<WallOutcome> wall{};  ///< one per entry of `frames`; empty: there is no wall
};

/// Summary of the points in a frame.
TrackedFrame summaryOf(const LandmarkOutcome& found, const TrackJob& job, LandmarkTracks& tracks) {
    const Geometry& geometry = job.sequence.geometry;
    TrackedFrame summary;
    summary.frame = found.frame;
    summary.seconds = found.seconds;
    summary.counts = found.counts;
    addFrame(tracks, geometry, found);
    std::vector<double> lengths;
    for (std::size_t i = 0; i < found.points.size(); ++i) {
        const TrackedPoint& point = found.points[i];
        if (point.fate != TrackFate::Tracked)
            continue;
        lengths.push_back(
            length(geometry.indexToPhysical(point.position) - job.points.points[i].position));
        summary.meanCertainty += double{point.certainty};
    }
    if (!lengths.empty()) {
        summary.meanCertainty /= static_cast<double>(lengths.size());
        summary.largestMillimeters = *std::ranges::max_element(lengths);
        summary.medianMillimeters = median(std::move(lengths));
    }
    return summary;
}

/// Follows the points through all other frames.
void followPoints(const TrackJob& job, LandmarkStart start, TrackOutcome& outcome,
                  const ExecContext& ctx) {
    const int frames = job.sequence.frames;
    TrackOrder order(std::move(start), job.points.frame, frames);
    SequenceInputs inputs(job.sequence, *ctx.pool);
    finishCourse<LandmarkWork>(
        order, inputs,
        [&](const LandmarkTask& task) {
            ctx.report(fmt::format("frame {}", task.frame),
                       static_cast<double>(outcome.frames.size()) / std::max(frames - 1, 1));
            return ctx;
        },
        [&](const LandmarkOutcome& found) {
            outcome.frames.push_back(summaryOf(found, job, outcome.tracks));
        });
    std::ranges::sort(outcome.frames, {}, &TrackedFrame::frame);
}

/// Moves the points in the wall with it, in every frame but the reference.
void carryWall(const TrackJob& job, TrackOutcome& outcome, const ExecContext& ctx) {
    LandmarkTracks& tracks = outcome.tracks;
    const int reference = tracks.reference;
    WallOrder order(std::make_shared<const WallStart>(
                        WallStart{*job.wall, positionsIn(tracks, reference), job.wallOptions}),
                    {.frames = job.sequence.frames,
                     .found = [reference](int frame) { return frame != reference; },
                     .positions = [&](int frame) { return positionsIn(tracks, frame); },
                     .shown = [] { return 0; },
                     .complete = true});
    SequenceInputs inputs(job.sequence, *ctx.pool);
    finishCourse<WallWork>(
        order, inputs,
        [&](const WallTask& task) {
            ctx.report("elastic wall", task.frame / static_cast<double>(job.sequence.frames));
            return ctx;
        },
        [&](WallOutcome carried) {
            setPositions(tracks, carried.frame, carried.positions);
            outcome.wall.push_back(std::move(carried));
        });
}

/// Throws UsageError for a reference that the sequence doesn't have and for points outside its
/// grid, naming the first, and what reading and the tasks throw.
TrackOutcome runTracks(const TrackJob& job, const ExecContext& ctx) {
    const Sequence& sequence = job.sequence;
    if (job.points.frame >= sequence.frames)
        throw UsageError(fmt::format("--frame: {} has no frame {}; its frames are 0 to {}",
                                     sequence.name, job.points.frame, sequence.frames - 1));
    if (sequence.frames < 2)
        throw UsageError(fmt::format("landmarks track: {} has only one frame", sequence.name));
    if (const std::string outside = outsideText(job.points, sequence.geometry); !outside.empty())
        throw UsageError("--points: point " + outside);
    TrackOutcome outcome;
    outcome.tracks = tracksOf(job.points, sequence.frames);
    ctx.report("gray values", 0);
    const IntensityScale scale = intensityScale(sequence, ctx);
    followPoints(job, {nullptr, voxelsOf(job.points, sequence.geometry), job.settings, scale},
                 outcome, ctx);
    if (job.wall)
        carryWall(job, outcome, ctx);
    return outcome;
}

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

Size3 sizeFrom(const std::vector<int>& radii) { return {radii[0], radii[1], radii[2]}; }

std::string countsText(const std::array<int, trackFates>& counts) {
    std::string text;
    for (int fate = 1; fate < trackFates; ++fate)
        if (const int count = counts[static_cast<std::size_t>(fate)])
            text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", count,
                                title(static_cast<TrackFate>(fate)));
    return text;
}

void print(const TrackOutcome& outcome) {
    const int points = static_cast<int>(outcome.tracks.tracks.size());
    for (const TrackedFrame& frame : outcome.frames) {
        const int lost = points - frame.counts[0];
        fmt::print("frame {}: {} of {} tracked, median {:.2f} mm, largest {:.2f} mm, {:.0f} "
                   "ms{}{}\n",
                   frame.frame, frame.counts[0], points, frame.medianMillimeters,
                   frame.largestMillimeters, 1e3 * frame.seconds,
                   lost > 0 ? fmt::format("; {} lost", lost) : "", countsText(frame.counts));
    }
    if (!outcome.wall.empty())
        fmt::print("elastic wall, label {}: {} points in it\n", outcome.wall.front().label,
                   outcome.wall.front().points);
    for (const WallOutcome& carried : outcome.wall)
        if (const WallFrame& made = carried.made; made.failure.empty())
            fmt::print("frame {}: {} pull it, {} carried along, {} unknowns, {} iterations, {:.0f} "
                       "ms; tracked points moved by {:.2f} mm on average\n",
                       carried.frame, made.report.springs, made.report.carried,
                       made.report.unknowns, made.report.iterations,
                       1e3 * (made.report.setUpSeconds + made.report.solveSeconds),
                       made.meanChange);
        else
            fmt::print("frame {}: left as tracked: {}\n", carried.frame, made.failure);
}

class LandmarksTrackCommand : public Command {
public:
    LandmarksTrackCommand() : Command("track", "Points followed through a sequence") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    TrackerSettings settingsFor(const ParamSet& parameters, Vec3 spacing) const;

    std::vector<std::string> files_;
    std::string points_, output_, wall_;
    std::vector<int> search_, patch_;
    bool noNeighbors_ = false;
    int frame_ = -1; ///< not given
    CoordinatesOption coordinates_;
    TaskOptions options_{trackingTask()};
    TaskParameters wallParameters_{wallTable()};
};

void LandmarksTrackCommand::addOptions(CLI::App& app) {
    app.add_option("SEQUENCE", files_, "A 4D file, a 3D file per frame, or a DICOM folder")
        ->required();
    app.add_option("--points", points_,
                   "Points of one frame: DIR-Lab's voxel indices (.txt), Slicer's .mrk.json or "
                   ".fcsv, elastix points (.txt), or CSV, as 'systole landmarks detect' writes it")
        ->required();
    coordinates_.addTo(app);
    app.add_option("-o,--output", output_, "Tracks to write, LPS mm: .csv or .mrk.json")
        ->required();
    app.add_option("--frame", frame_,
                   "Frame of the points, from 0 [default: as their file says, else 0]. Frames "
                   "after it are tracked forward, those before it backward in time")
        ->check(CLI::NonNegativeNumber);
    options_.addTo(app);
    app.add_option("--search", search_, "x,y,z: the region of --reach in voxels [12,6,8]")
        ->delimiter(',')
        ->expected(3)
        ->check(inRange(0, largestSearchRadius))
        ->excludes("--reach");
    app.add_option("--patch", patch_, "x,y,z: half the patch that is compared, voxels [5,5,4]")
        ->delimiter(',')
        ->expected(3)
        ->check(inRange(1, largestPatchRadius));
    app.add_flag("--no-neighbors", noNeighbors_, "The same as --outliers none")
        ->excludes("--outliers");
    CLI::Option* const wall = app.add_option(
        "--elastic-wall", wall_,
        "Label map of the points' frame: points in one of its labels, a wall, move with an "
        "elastic body that the tracked points pull along. Lost points get the body's position, "
        "with a certainty of 0");
    wallParameters_.addTo(app, wall);
}

TrackerSettings LandmarksTrackCommand::settingsFor(const ParamSet& parameters, Vec3 spacing) const {
    TrackerSettings settings = trackerSettings(parameters, spacing);
    if (!patch_.empty())
        settings.patchRadius = sizeFrom(patch_);
    if (!search_.empty())
        settings.searchRadius = sizeFrom(search_);
    return settings;
}

int LandmarksTrackCommand::run() {
    CommandWork work(options_.threads);
    std::vector<std::string> inputs = files_;
    inputs.insert(inputs.end(), {points_, wall_});
    const auto check = [&] { options_.overwrite.checkAll({output_, options_.json}, inputs); };
    check();
    if (!output_.ends_with(".csv") && !output_.ends_with(".mrk.json"))
        throw UsageError(fmt::format("--output: '{}' must end with .csv or .mrk.json", output_));
    ParamSet parameters = options_.values();
    if (noNeighbors_)
        parameters.set("outliers", std::string("none"));
    const ParamSet& wall = wallParameters_.values();
    const Sequence sequence = openSequence(files_);
    const StoredLandmarks stored =
        readLandmarks(points_, {sequence.geometry, coordinates_.value()});
    TrackJob job{sequence, stored.set, settingsFor(parameters, sequence.geometry.spacing())};
    job.points.frame = frame_ >= 0 ? frame_ : std::max(stored.set.frame, 0);
    job.wallOptions = wallOptions(wall);
    if (!wall_.empty())
        job.wall = {sequence.geometry, nullptr, wall_, wall.integer("elastic-label"),
                    "--elastic-label"};

    DevicePolicy device(options_.backend());
    const TrackOutcome outcome = work.run([&](const ExecContext& ctx) {
        return device.run(ctx, [&](const ExecContext& where) { return runTracks(job, where); });
    });
    check();
    options_.overwrite.write(output_,
                             [&](const std::string& path) { writeTracks(path, outcome.tracks); });
    const BackendChoice& backend = device.choice();
    Json values = parametersWithUnits(parameters);
    values["patch_radius_voxels"] = job.settings.patchRadius;
    values["search_radius_voxels"] = job.settings.searchRadius;
    writeRecord(options_.overwrite, options_.json,
                {{"files", files_},
                 {"points", points_},
                 {"output", output_},
                 {"backend", systole::name(backend.backend)},
                 {"backend_reason", backend.reason},
                 {"reference_frame", job.points.frame},
                 {"tracks", outcome.tracks.tracks.size()},
                 {"parameters", std::move(values)},
                 {"frames", framesOf(outcome)},
                 {"elastic_wall", wallOf(job, outcome)}},
                work.threads());
    fmt::print("backend {} ({})\n", systole::name(backend.backend), backend.reason);
    for (const std::string& note : stored.notes)
        fmt::print("note: {}: {}\n", points_, note);
    print(outcome);
    fmt::print("wrote {}\n", output_);
    return 0;
}

} // namespace

std::unique_ptr<Command> makeLandmarksTrackCommand() {
    return std::make_unique<LandmarksTrackCommand>();
}

} // namespace systole
