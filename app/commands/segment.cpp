#include "app/commands/segment.h"

#include "app/commands/interrupt.h"
#include "app/commands/progress.h"
#include "app/commands/record_parts.h"
#include "app/commands/seed_points.h"
#include "app/error.h"
#include "app/segmentation/chamber_motion.h"
#include "app/segmentation/label_file.h"
#include "compute/core/elapsed.h"
#include "compute/core/machine.h"
#include "compute/surface/chamber_tracker.h"
#include "io/source.h"
#include "io/text.h"
#include "io/writer.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <numeric>
#include <optional>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

Json pointJson(Vec3 p) { return {p.x, p.y, p.z}; }

} // namespace

void SegmentCommand::addOptions(CLI::App& app) {
    app.add_option("FILE", file_, "A 3D or 4D file, or a DICOM folder")->required();
    app.add_option(
           "-o,--output", output_,
           "Label map to write, on the grid of the image: 1 chamber, 2 wall. Format by "
           "extension (.nii.gz, .nii; one frame also .mha, .nrrd). What was done is written "
           "beside it, as .json")
        ->required();
    overwrite_.addTo(app);
    CLI::Option* seed = app.add_option(
        "--seed", seed_, "x,y,z: a point inside the chamber, best near its middle, in LPS mm");
    app.add_option("--points", points_,
                   "APEX;MITRAL;RV, each x,y,z in LPS mm (quote it for the shell): apex of the "
                   "left ventricle's cavity, middle of the mitral ring, and where the wall of the "
                   "right ventricle joins that of the left. The chamber ends at the mitral ring")
        ->excludes(seed);
    app.add_flag(
           "--in-wall", options_.clickInWall,
           "The seed is in the wall: the chamber that it encloses is looked for, and both are "
           "labelled")
        ->needs(seed);
    app.add_flag("--voxel", voxel_, "Points are voxels, counted from 0, instead of mm");
    CLI::Option* chamber = app.add_flag("--chamber", chamber_, "Label the chamber alone [default]");
    app.add_flag("--wall", options_.wall, "Also label the wall around the chamber, as 2")
        ->excludes(chamber);
    CLI::Option* frame = app.add_option("--frame", frame_, "Frame of a 4D file, from 0 [0]")
                             ->check(CLI::NonNegativeNumber);
    app.add_flag("--all", all_,
                 "Every frame: the contour of frame 0, carried along by the motion; the seeds are "
                 "those of "
                 "frame 0. Writes a 4D label map")
        ->excludes(frame);
    app.add_option("--reach", options_.reachMillimeters,
                   "How far the border may be from the seed, mm")
        ->check(CLI::Range(5.0, 200.0))
        ->capture_default_str();
    app.add_option("--smoothness", options_.smoothness,
                   "Weight of the curvature, mm: larger is smoother and leaks less")
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    app.add_option("--largest", options_.largestMilliliters,
                   "A contour around more than this, mL, has leaked: an error")
        ->check(CLI::Range(1.0, 10000.0))
        ->capture_default_str();
    app.add_option("--threads", threads_, "Number of threads; 0: all hardware threads")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
}

void SegmentCommand::check() const {
    if (seed_.empty() == points_.empty())
        throw UsageError("name where the chamber is: one point by --seed, or three by --points");
    if (!isLabelMapName(output_, !all_))
        throw UsageError(fmt::format("--output: '{}' must end with {}", output_,
                                     all_ ? ".nii.gz or .nii to hold every frame"
                                          : ".nii.gz, .nii, .mha or .nrrd"));
}

SegmentSeeds SegmentCommand::seedsIn(const Geometry& geometry) const {
    const auto placed = [&](Vec3 p) { return voxel_ ? geometry.indexToPhysical(p) : p; };
    SegmentSeeds seeds;
    if (!seed_.empty()) {
        seeds.click = placed(parsePoint(seed_, "--seed"));
        return seeds;
    }
    const auto [apex, mitral, rightVentricle] = parseVentriclePoints(points_, "--points");
    seeds.points = VentriclePoints{placed(apex), placed(mitral), placed(rightVentricle)};
    return seeds;
}

std::vector<int> SegmentCommand::framesOf(int frames) const {
    if (all_) {
        std::vector<int> every(static_cast<std::size_t>(frames));
        std::iota(every.begin(), every.end(), 0);
        return every;
    }
    if (frame_ >= frames)
        throw UsageError(
            fmt::format("--frame: the file has frames 0 to {}, not {}", frames - 1, frame_));
    return {std::max(frame_, 0)};
}

std::string SegmentCommand::recordPath() const {
    std::string path = output_;
    for (const std::string_view ending : {".gz", ".nii", ".mha", ".nrrd"})
        if (lowerCase(path).ends_with(ending))
            path.resize(path.size() - ending.size());
    return path + ".json";
}

std::string SegmentCommand::record(const Geometry& geometry, const SegmentSeeds& seeds,
                                   const std::vector<Outcome>& outcomes, int threads) const {
    Json frames = Json::array();
    for (const Outcome& outcome : outcomes)
        frames.push_back({{"frame", outcome.frame},
                          {"chamber_ml", outcome.milliliters},
                          {"wall_ml", hasWall() ? Json(outcome.wallMilliliters) : Json()},
                          {"seconds", outcome.seconds}});
    Json points = Json::object();
    if (seeds.click)
        points["seed"] = pointJson(*seeds.click);
    if (seeds.points)
        points.update({{"apex", pointJson(seeds.points->apex)},
                       {"mitral", pointJson(seeds.points->mitral)},
                       {"right_ventricle", pointJson(seeds.points->rightVentricle)}});
    const Size3 size = geometry.size();
    const Vec3 spacing = geometry.spacing();
    const Json json{{"program", programOf()},
                    {"time", timeNow()},
                    {"image", file_},
                    {"size", {size.x, size.y, size.z}},
                    {"spacing_mm", pointJson(spacing)},
                    {"frame_of_reference", "LPS"},
                    {"points_mm", points},
                    {"parameters",
                     {{"seed_in_wall", options_.clickInWall},
                      {"reach_mm", options_.reachMillimeters},
                      {"smoothness_mm", options_.smoothness},
                      {"largest_ml", options_.largestMilliliters}}},
                    {"labels",
                     {{"file", std::filesystem::path(output_).filename().string()},
                      {"values", {{"chamber", chamberLabel}, {"wall", wallLabel}}}}},
                    {"frames", frames},
                    {"machine", machineOf(threads)},
                    {"libraries", librariesOf()}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int SegmentCommand::run() {
    check();
    CancelToken cancel;
    const std::filesystem::path folder = std::filesystem::absolute(output_).parent_path();
    const InterruptWatch watch([cancel]() mutable { cancel.cancel(); },
                               [this, folder] {
                                   const auto label =
                                       std::filesystem::path(output_).filename().string();
                                   removePartialFiles(folder.string(), [&](std::string_view name) {
                                       return name == label;
                                   });
                               });
    const Sequence sequence = openSequence({file_});
    const SegmentSeeds seeds = seedsIn(sequence.geometry);
    const std::vector<int> frames = framesOf(sequence.frames);
    for (const std::string& path : {output_, recordPath()})
        overwrite_.check(path, {file_});

    ExecResources resources(threads_, describeMachine().availableBytes / 10 * 9);
    ExecContext ctx = resources.context();
    ctx.cancel = cancel;
    std::vector<std::vector<std::uint8_t>> labels;
    std::vector<Outcome> outcomes;
    {
        ProgressBar bar;
        ChamberTracker tracker(seeds, options_, chamberMotion());
        Volume volume(sequence.geometry, *ctx.pool, "frame");
        for (const int frame : frames) {
            const double done = static_cast<double>(labels.size()),
                         all = static_cast<double>(frames.size());
            ctx.progress = [&](const std::string& phase, double fraction) {
                bar.update(fmt::format("frame {}: {}", frame, phase), (done + fraction) / all);
            };
            const auto start = std::chrono::steady_clock::now();
            sequence.source->read(frame, volume.view());
            Segmentation found = tracker.next(volume, ctx);
            outcomes.push_back(
                {frame, found.milliliters, found.wallMilliliters, secondsSince(start)});
            labels.push_back(std::move(found.labels));
        }
        ctx.throwIfCancelled();
        for (const std::string& path : {output_, recordPath()})
            overwrite_.check(path, {file_});
        if (all_)
            writeLabelSequence(output_, sequence.geometry,
                               sequence.timeKnown() ? sequence.cycleSeconds() / sequence.frames : 0,
                               labels);
        else
            writeLabels(output_, sequence.geometry, labels.front());
        writeTextAtomically(recordPath(), record(sequence.geometry, seeds, outcomes,
                                                 resources.threads().threads()));
    }
    for (const Outcome& outcome : outcomes)
        fmt::print("frame {}: chamber {:.1f} mL{}, {:.2f} s\n", outcome.frame, outcome.milliliters,
                   hasWall() ? fmt::format(", wall {:.1f} mL", outcome.wallMilliliters) : "",
                   outcome.seconds);
    for (std::size_t i = 1; i < outcomes.size(); ++i)
        if (outcomes[i].milliliters > suddenGrowth * outcomes[i - 1].milliliters)
            fmt::print("note: the chamber grows by {:.0f} % from frame {} to {}; look whether it "
                       "has run into its neighbor there and after, and set --largest\n",
                       100 * (outcomes[i].milliliters / outcomes[i - 1].milliliters - 1),
                       outcomes[i - 1].frame, outcomes[i].frame);
    fmt::print("wrote {} and {}\n", output_, recordPath());
    return 0;
}

} // namespace systole
