// systole segment: a chamber of the heart, and its wall, from a click or three points.
#include "app/anatomy/ejection.h"
#include "app/anatomy/label_doubts.h"
#include "app/anatomy/label_record.h"
#include "app/anatomy/plausible_heart.h"
#include "app/anatomy/strain_labels.h"
#include "app/base/error.h"
#include "app/base/seed_points.h"
#include "app/cli/command.h"
#include "app/cli/command_work.h"
#include "app/cli/note_text.h"
#include "app/cli/record_parts.h"
#include "app/cli/task_options.h"
#include "app/features/segmentation/label_file.h"
#include "app/features/segmentation/segment_course.h"
#include "compute/core/error.h"
#include "io/formats/writer.h"
#include "io/source.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace systole {
namespace {

bool hasWall(const ParamSet& parameters) {
    return parameters.isOn("wall") || parameters.isOn("in-wall");
}

Json ejectionRecord(const std::optional<Ejection>& ejection) {
    if (!ejection)
        return nullptr;
    return {{"percent", 100 * ejection->fraction},
            {"end_diastole_frame", ejection->largestFrame},
            {"end_systole_frame", ejection->smallestFrame},
            {"end_diastolic_ml", ejection->largest},
            {"end_systolic_ml", ejection->smallest}};
}

class SegmentCommand : public Command {
public:
    SegmentCommand()
        : Command(
              "segment",
              "Find a chamber, and its wall, from a click or three points; writes a label map") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    /// One frame's result, for the record.
    struct Outcome {
        int frame = 0;
        EnclosedVolume chamber;
        double wallMilliliters = 0, seconds = 0;
        std::string doubt;
        bool wallIsCut = false; ///< the image's edge cuts the wall
    };

    void check() const;
    SegmentSeeds seedsIn(const Geometry& geometry) const;
    std::vector<int> framesOf(int frames) const;
    Json record(const Sequence& sequence, const SegmentSeeds& seeds, const ParamSet& parameters,
                const std::vector<Outcome>& outcomes) const;
    static std::vector<double> volumesOf(const std::vector<Outcome>& outcomes);
    /// Requirements of strain that the labels of the first frame don't meet, without a full stop;
    /// empty: strain takes them, or there is no wall.
    std::string strainNeeds(const std::vector<std::uint8_t>& labels, const Geometry& geometry,
                            const SegmentSeeds& seeds, ExecContext ctx) const;
    static void printVolumes(const std::vector<Outcome>& outcomes, bool wall);

    std::string file_, output_, seed_, points_;
    bool voxel_ = false, chamber_ = false, all_ = false, forStrain_ = false;
    int frame_ = -1; ///< -1: not given
    TaskOptions options_{segmentTask()};
};

void SegmentCommand::addOptions(CLI::App& app) {
    app.add_option("FILE", file_, "A 3D or 4D file, or a DICOM folder")->required();
    app.add_option(
           "-o,--output", output_,
           "Label map to write, on the grid of the image: 1 chamber, 2 wall. Format by extension "
           "(.nii.gz, .nii; one frame also .mha, .nrrd). A record of the run is written beside "
           "it, as .json")
        ->required();
    CLI::Option* seed = app.add_option(
        "--seed", seed_, "x,y,z: a point inside the chamber, best near its middle, in LPS mm");
    app.add_option("--points", points_,
                   "APEX;MITRAL;RV, each x,y,z in LPS mm (quote it for the shell): apex of the "
                   "left ventricle's cavity, middle of the mitral ring, where the chamber ends, "
                   "and the anterior insertion of the right ventricle, on the outside of the "
                   "wall, which also says how wide the chamber is; or a file of them, as for "
                   "'systole strain'")
        ->excludes(seed);
    app.add_flag("--voxel", voxel_, "Points are voxels, counted from 0, instead of mm");
    CLI::Option* frame = app.add_option("--frame", frame_, "Frame of a 4D file, from 0 [0]")
                             ->check(CLI::NonNegativeNumber);
    app.add_flag("--all", all_,
                 "Segment every frame: the motion carries the contour of frame 0 along; the seeds "
                 "are those of frame 0. Writes a 4D label map")
        ->excludes(frame);
    options_.addTo(app, false);
    app.add_flag("--for-strain", forStrain_,
                 "Write nothing unless 'systole strain' can measure a ventricle with these labels; "
                 "the message names what is missing. Without it, a note says so");
    app.get_option("--in-wall")->needs(seed);
    app.add_flag("--chamber", chamber_, "Label only the chamber [default]")->excludes("--wall");
}

void SegmentCommand::check() const {
    if (forStrain_ && !hasWall(options_.values()))
        throw UsageError("--for-strain: strain needs the wall; add --wall");
    if (seed_.empty() == points_.empty())
        throw UsageError("name where the chamber is: one point by --seed, or three by --points");
    if (voxel_ && namesPointsFile(points_))
        throw UsageError("--voxel: the points of a file are mm");
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
    const auto [apex, mitral, rightVentricle] = ventriclePoints(points_, "--points");
    seeds.points = VentriclePoints{placed(apex), placed(mitral), placed(rightVentricle)};
    return seeds;
}

std::vector<int> SegmentCommand::framesOf(int frames) const {
    if (frame_ >= frames)
        throw UsageError(
            fmt::format("--frame: the file has frames 0 to {}, not {}", frames - 1, frame_));
    return segmentedFrames(std::max(frame_, 0), all_, frames);
}

Json SegmentCommand::record(const Sequence& sequence, const SegmentSeeds& seeds,
                            const ParamSet& parameters,
                            const std::vector<Outcome>& outcomes) const {
    Json frames = Json::array();
    for (const Outcome& outcome : outcomes)
        frames.push_back(
            {{"frame", outcome.frame},
             {"chamber_ml", outcome.chamber.milliliters},
             {"touches_edge", outcome.chamber.touchesEdge},
             {"wall_ml", hasWall(parameters) ? Json(outcome.wallMilliliters) : Json()},
             {"wall_g",
              hasWall(parameters) ? Json(gramsOfMuscle(outcome.wallMilliliters)) : Json()},
             {"wall_touches_edge", outcome.wallIsCut},
             {"note", outcome.doubt},
             {"seconds", outcome.seconds}});
    Json points = Json::object();
    if (seeds.click)
        points["seed"] = *seeds.click;
    if (seeds.points)
        points.update(pointsInRecord(*seeds.points));
    return {{"image", file_},
            {"size", sequence.geometry.size()},
            {"spacing_mm", sequence.geometry.spacing()},
            {"points_mm", points},
            // The number of a single volume says nothing.
            {"points_frame", sequence.frames > 1 ? Json(outcomes.front().frame) : Json()},
            {"parameters", parametersWithUnits(parameters)},
            {"labels", labelsInRecord(output_, chamberLabel, wallLabel)},
            {"ejection_fraction", ejectionRecord(ejectionOf(volumesOf(outcomes)))},
            {"frames", frames}};
}

std::vector<double> SegmentCommand::volumesOf(const std::vector<Outcome>& outcomes) {
    std::vector<double> volumes;
    for (const Outcome& outcome : outcomes)
        volumes.push_back(outcome.chamber.milliliters);
    return volumes;
}

std::string SegmentCommand::strainNeeds(const std::vector<std::uint8_t>& labels,
                                        const Geometry& geometry, const SegmentSeeds& seeds,
                                        ExecContext ctx) const {
    if (!hasWall(options_.values()))
        return {};
    cardiac::GivenPoints given;
    if (seeds.points)
        given = {seeds.points->apex, seeds.points->mitral, seeds.points->rightVentricle};
    const std::string why = whyNoStrain(labels, geometry, given, ctx);
    return why.empty() || seeds.points
               ? why
               : why + "; give three points (--points, or the column points of a table of cases) "
                       "instead of the seed";
}

void SegmentCommand::printVolumes(const std::vector<Outcome>& outcomes, bool wall) {
    for (const Outcome& outcome : outcomes)
        fmt::print("frame {}: chamber {:.1f} ml{}, {:.2f} s\n", outcome.frame,
                   outcome.chamber.milliliters,
                   wall ? fmt::format(", wall {:.1f} ml ({:.1f} g)", outcome.wallMilliliters,
                                      gramsOfMuscle(outcome.wallMilliliters))
                        : "",
                   outcome.seconds);
    const std::vector<double> volumes = volumesOf(outcomes);
    if (const std::optional<Ejection> ejection = ejectionOf(volumes))
        fmt::print("{}\n", ejectionText(*ejection));
    if (const std::string note = openCycleNote(volumes); !note.empty())
        printNote(note);
    const auto touching = std::ranges::count_if(
        outcomes, [](const Outcome& outcome) { return outcome.chamber.touchesEdge; });
    if (touching > 0)
        printNote(edgeNote(static_cast<std::size_t>(touching), outcomes.size()));
    LabelDoubts doubts;
    doubts.begin(outcomes.front().frame);
    for (const Outcome& outcome : outcomes) {
        doubts.found(outcome.frame, outcome.chamber.milliliters, outcome.doubt);
        doubts.count(outcome.frame, outcome.chamber.milliliters, outcome.wallMilliliters);
    }
    for (const std::string& doubt : doubts.all())
        printNote(doubt);
    const auto cut =
        std::ranges::count_if(outcomes, [](const Outcome& outcome) { return outcome.wallIsCut; });
    if (wall && cut > 0)
        fmt::print("note: the wall reaches the image's edge in {} of {} frames; its volume is that "
                   "of the part in view\n",
                   cut, outcomes.size());
}

int SegmentCommand::run() {
    check();
    CommandWork work(options_.threads);
    const ParamSet& parameters = options_.values();
    // Voxels that hold no number are outside, as in the window.
    const Sequence sequence = openSequence({file_}, {.acceptUnknown = true});
    const SegmentSeeds seeds = seedsIn(sequence.geometry);
    const std::vector<int> frames = framesOf(sequence.frames);
    const auto checkFiles = [&] {
        options_.overwrite.checkAll({output_, labelRecordPath(output_)}, {file_});
    };
    checkFiles();

    std::vector<std::vector<std::uint8_t>> labels;
    std::string noStrain;
    const std::vector<Outcome> outcomes = work.run([&](ExecContext ctx) {
        std::vector<Outcome> made;
        SegmentOrder order(seeds, segmentOptions(parameters), frames);
        SequenceInputs inputs(sequence, *ctx.pool);
        const auto contextFor = [&](const SegmentTask& task) {
            ExecContext own = ctx;
            own.progress = [&, frame = task.frame](const std::string& phase, double fraction) {
                ctx.report(fmt::format("frame {}: {}", frame, phase),
                           (static_cast<double>(made.size()) + fraction) /
                               static_cast<double>(frames.size()));
            };
            return own;
        };
        finishCourse<SegmentWork>(order, inputs, contextFor, [&](const SegmentOutcome& found) {
            labels.push_back(found.found->labels);
            made.push_back({found.frame, found.chamber, found.found->wallMilliliters, found.seconds,
                            found.doubt, found.wallIsCut});
        });
        noStrain = strainNeeds(labels.front(), sequence.geometry, seeds, ctx);
        ctx.throwIfCancelled();
        return made;
    });
    if (forStrain_ && !noStrain.empty())
        throw ComputeError("strain can't be measured with these labels: " + noStrain);
    checkFiles();
    options_.overwrite.write(output_, [&](const std::string& path) {
        if (all_)
            writeLabelSequence(path, sequence.geometry,
                               sequence.timeKnown() ? sequence.cycleSeconds() / sequence.frames : 0,
                               labels);
        else
            writeLabels(path, sequence.geometry, labels.front());
    });
    writeRecord(options_.overwrite, labelRecordPath(output_),
                record(sequence, seeds, parameters, outcomes), work.threads());
    printVolumes(outcomes, hasWall(parameters));
    if (!noStrain.empty())
        fmt::print("note: 'systole strain' can't take these labels: {}\n", noStrain);
    fmt::print("wrote {} and {}\n", output_, labelRecordPath(output_));
    return 0;
}

} // namespace

std::unique_ptr<Command> makeSegmentCommand() { return std::make_unique<SegmentCommand>(); }

} // namespace systole
