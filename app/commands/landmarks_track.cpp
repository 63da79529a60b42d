#include "app/commands/landmarks_track.h"

#include "app/commands/interrupt.h"
#include "app/commands/progress.h"
#include "app/commands/track_run.h"
#include "app/error.h"
#include "compute/core/error.h"
#include "compute/core/machine.h"
#include "compute/cuda/context.h"
#include "io/landmarks/landmark_file.h"
#include "io/source.h"
#include "io/writer.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace systole {
namespace {

Size3 sizeOf(const std::vector<int>& radii) { return {radii[0], radii[1], radii[2]}; }

std::string countsText(const std::array<int, trackFates>& counts) {
    std::string text;
    for (int fate = 1; fate < trackFates; ++fate)
        if (const int count = counts[static_cast<std::size_t>(fate)])
            text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", count,
                                title(static_cast<TrackFate>(fate)));
    return text;
}

/// On the device if there is one; if its memory is too short and the backend may change, on the
/// CPU.
TrackOutcome runOn(const std::shared_ptr<CudaContext>& device, TrackJob& job, ExecContext ctx) {
    if (!device)
        return runTracks(job, ctx);
    ExecContext onDevice = ctx;
    onDevice.backend = Backend::Cuda;
    onDevice.cuda = device.get();
    try {
        return runTracks(job, onDevice);
    } catch (const OutOfMemory& error) {
        if (!job.backend.mayChange)
            throw;
        job.backend = {Backend::Cpu, fmt::format("auto: {}", error.what())};
        return runTracks(job, ctx);
    }
}

void printWall(const TrackWallOutcome& wall) {
    fmt::print("elastic wall, label {}: {} points in it\n", wall.label, wall.points);
    for (const auto& [frame, made] : wall.frames)
        if (made.failure.empty())
            fmt::print("frame {}: {} pull it, {} carried along, {} unknowns, {} iterations, {:.0f} "
                       "ms; tracked points moved by {:.2f} mm on average\n",
                       frame, made.report.springs, made.report.carried, made.report.unknowns,
                       made.report.iterations,
                       1e3 * (made.report.setUpSeconds + made.report.solveSeconds),
                       made.meanChange);
        else
            fmt::print("frame {}: left as tracked: {}\n", frame, made.failure);
}

} // namespace

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
    overwrite_.addTo(app);
    app.add_option("--frame", frame_,
                   "Frame of the points, from 0 [default: as their file says, else 0]. Frames "
                   "after it are tracked forward, those before it backward in time")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--from", from_,
                   "What a frame is compared with. reference: the frame of the points, without "
                   "drift; what was lost may be found again. previous: the frame before, for gray "
                   "values that change; what is lost stays lost")
        ->check(CLI::IsMember({"reference", "previous"}))
        ->capture_default_str();
    CLI::Option* const search =
        app.add_option("--search", search_,
                       "x,y,z: half the searched region around the last place, voxels [12,6,8]")
            ->delimiter(',')
            ->expected(3)
            ->check(CLI::Range(0, largestSearchRadius));
    app.add_option("--reach", reachMillimeters_, "The same in mm, along all axes")
        ->check(CLI::Range(0.1, 1000.0))
        ->excludes(search);
    app.add_option("--patch", patch_, "x,y,z: half the patch that is compared, voxels [5,5,4]")
        ->delimiter(',')
        ->expected(3)
        ->check(CLI::Range(1, largestPatchRadius));
    app.add_option("--levels", settings_.levels,
                   "Resolutions: the region is searched on the coarsest, what was found there "
                   "refined on the others. More are faster where motion is large")
        ->check(CLI::Range(1, 8))
        ->capture_default_str();
    app.add_option("--refine", settings_.refineRadius,
                   "Half the region on the finer resolutions, voxels")
        ->check(CLI::Range(1, 8))
        ->capture_default_str();
    app.add_option("--backward", settings_.backwardTolerance,
                   "Track each point back, and reject it if it ends farther from where it began "
                   "than this, in smallest voxel spacings; 0: don't")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
    app.add_option("--ratio", settings_.greatestRatio,
                   "Reject a point whose best place is hardly better than one elsewhere: greatest "
                   "ratio of their distances")
        ->check(CLI::Range(0.01, 1.0))
        ->capture_default_str();
    CLI::Option* const outliers =
        app.add_option("--outliers", outliers_,
                       "Which points to reject for the others' sake. neighbors: those whose "
                       "displacement contradicts their neighbors'. spectral: those that move with "
                       "too few others, whole groups of wrong points too. both, none")
            ->check(CLI::IsMember(
                std::vector<std::string>(std::begin(outlierTests), std::end(outlierTests))))
            ->capture_default_str();
    app.add_flag("--no-neighbors", noNeighbors_, "The same as --outliers none")->excludes(outliers);
    addWall(app);
    app.add_option("--json", json_, "Also write a record of the run to this file");
    app.add_option("--backend", backend_,
                   "Where descriptors are made and searched; auto uses CUDA if available, else the "
                   "CPU, and reports its choice")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    app.add_option("--threads", threads_, "Number of threads; 0: all hardware threads")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
}

void LandmarksTrackCommand::addWall(CLI::App& app) {
    CLI::Option* wall = app.add_option(
        "--elastic-wall", wall_.labels,
        "Label map of the points' frame: in one of its labels, a wall, points move with an elastic "
        "body which those that were tracked pull along. Lost points get its position, with a "
        "certainty of 0");
    app.add_option("--elastic-label", wall_.label,
                   "The label of the wall. Not needed for labels of the phantom, of ACDC, and for "
                   "a map of one label")
        ->needs(wall)
        ->check(CLI::Range(1, 65535));
    app.add_option("--elastic-length", wall_.options.length,
                   "How far the wall may smooth the motion of points, mm: the length of the "
                   "springs between the two")
        ->needs(wall)
        ->check(CLI::Range(0.001, 1000.0))
        ->capture_default_str();
    app.add_option("--poisson", wall_.options.material.poissonRatio,
                   "Poisson's ratio of the wall; near 0.5 its volume hardly changes")
        ->needs(wall)
        ->check(CLI::Range(0.0, 0.499))
        ->capture_default_str();
}

TrackerSettings LandmarksTrackCommand::settingsFor(Vec3 spacing) const {
    TrackerSettings settings = settings_;
    settings.from = from_ == "previous" ? TrackFrom::Previous : TrackFrom::Reference;
    settings.outliers = outlierTestNamed(noNeighbors_ ? "none" : outliers_);
    if (!patch_.empty())
        settings.patchRadius = sizeOf(patch_);
    if (!search_.empty())
        settings.searchRadius = sizeOf(search_);
    if (reachMillimeters_ > 0)
        settings.searchRadius = radiusInVoxels(reachMillimeters_, spacing);
    return settings;
}

int LandmarksTrackCommand::run() {
    CancelToken cancel;
    const InterruptWatch watch([cancel]() mutable { cancel.cancel(); }, [] {});
    std::vector<std::string> inputs = files_;
    inputs.push_back(points_);
    if (!wall_.labels.empty())
        inputs.push_back(wall_.labels);
    for (const std::string& path : {output_, json_})
        overwrite_.check(path, inputs);
    if (!output_.ends_with(".csv") && !output_.ends_with(".mrk.json"))
        throw UsageError(fmt::format("--output: '{}' must end with .csv or .mrk.json", output_));
    const Sequence sequence = openSequence(files_);
    const StoredLandmarks stored =
        readLandmarks(points_, {sequence.geometry, coordinates_.value()});
    TrackJob job{sequence, stored.set, {}, 0, {}};
    job.reference = frame_ >= 0 ? frame_ : std::max(stored.set.frame, 0);
    job.settings = settingsFor(sequence.geometry.spacing());
    job.wall = wall_;

    ExecResources resources(threads_, describeMachine().availableBytes / 10 * 9);
    ExecContext ctx = resources.context();
    ctx.cancel = cancel;
    MotionMethod search; // what chooseBackend() asks about
    search.name = "landmarks track";
    search.backends = {Backend::Cpu, Backend::Cuda};
    job.backend = chooseBackend(backend_, search);
    const std::shared_ptr<CudaContext> device = openDevice(job.backend);
    TrackOutcome outcome;
    {
        ProgressBar bar;
        ctx.progress = [&](const std::string& phase, double done) { bar.update(phase, done); };
        outcome = runOn(device, job, ctx);
    }
    for (const std::string& path : {output_, json_})
        overwrite_.check(path, inputs);
    writeTracks(output_, outcome.tracks);
    if (!json_.empty())
        writeTextAtomically(json_, trackRecord(job, outcome, files_, points_, output_,
                                               resources.threads().threads()));
    fmt::print("backend {} ({})\n", systole::name(job.backend.backend), job.backend.reason);
    for (const std::string& note : stored.notes)
        fmt::print("note: {}: {}\n", points_, note);
    for (const TrackedFrame& frame : outcome.frames) {
        const int lost = static_cast<int>(outcome.tracks.tracks.size()) - frame.counts[0];
        fmt::print("frame {}: {} of {} tracked, median {:.2f} mm, largest {:.2f} mm, {:.0f} "
                   "ms{}{}\n",
                   frame.frame, frame.counts[0], outcome.tracks.tracks.size(),
                   frame.medianMillimeters, frame.largestMillimeters, 1e3 * frame.seconds,
                   lost > 0 ? fmt::format("; {} lost", lost) : "", countsText(frame.counts));
    }
    if (outcome.wall)
        printWall(*outcome.wall);
    fmt::print("wrote {}\n", output_);
    return 0;
}

} // namespace systole
