// systole landmarks track: points followed through a sequence.
#include "app/commands/command_work.h"
#include "app/commands/landmark_coordinates.h"
#include "app/commands/landmarks.h"
#include "app/commands/record_parts.h"
#include "app/commands/task_options.h"
#include "app/commands/track_run.h"
#include "app/error.h"
#include "app/landmarks/landmark_parameters.h"
#include "compute/landmarks/tracker.h"
#include "io/landmarks/landmark_file.h"
#include "io/source.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace systole {
namespace {

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
    const char* name() const override { return "track"; }
    const char* summary() const override { return "Points followed through a sequence"; }
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
    TaskOptions options_{"landmarks track"};
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
        ->check(CLI::Range(0, largestSearchRadius))
        ->excludes("--reach");
    app.add_option("--patch", patch_, "x,y,z: half the patch that is compared, voxels [5,5,4]")
        ->delimiter(',')
        ->expected(3)
        ->check(CLI::Range(1, largestPatchRadius));
    app.add_flag("--no-neighbors", noNeighbors_, "The same as --outliers none")
        ->excludes("--outliers");
    CLI::Option* const wall = app.add_option(
        "--elastic-wall", wall_,
        "Label map of the points' frame: in one of its labels, a wall, points move with an elastic "
        "body which those that were tracked pull along. Lost points get its position, with a "
        "certainty of 0");
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
    job.reference = frame_ >= 0 ? frame_ : std::max(stored.set.frame, 0);
    job.wallOptions = wallOptions(wall);
    if (!wall_.empty())
        job.wall = {sequence.geometry, nullptr, wall_, wall.integer("elastic-label"),
                    "--elastic-label"};

    DevicePolicy device(options_.backend());
    const TrackOutcome outcome = work.run([&](const ExecContext& ctx) {
        return device.run(ctx, [&](const ExecContext& where) { return runTracks(job, where); });
    });
    check();
    writeTracks(output_, outcome.tracks);
    const BackendChoice& backend = device.choice();
    nlohmann::ordered_json values = parametersWithUnits(parameters);
    values["patch_radius_voxels"] = sizeOf(job.settings.patchRadius);
    values["search_radius_voxels"] = sizeOf(job.settings.searchRadius);
    writeRecord(options_.json,
                {{"files", files_},
                 {"points", points_},
                 {"output", output_},
                 {"backend", systole::name(backend.backend)},
                 {"backend_reason", backend.reason},
                 {"reference_frame", job.reference},
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
