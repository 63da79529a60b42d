#include "app/pictures/picture_options.h"

#include "app/base/error.h"
#include "app/base/seed_points.h"
#include "app/cli/lesson_number.h"
#include "app/cli/method_options.h"
#include "app/cli/option_forms.h"
#include "app/cli/text_parts.h"
#include "app/features/bias/bias_tool.h"
#include "app/features/laboratory/laboratory_tool.h"
#include "app/features/landmarks/landmark_tool.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/features/surface/surface_tool.h"
#include "app/lessons/lessons.h"
#include "app/task/backend.h"
#include "app/tuning/autotune_file.h"
#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {
constexpr int largestSide = 16384;
}

std::pair<int, int> parsePictureSize(const std::string& text) {
    const std::vector<int> sides = wholeNumbersIn(text, 'x', 1, largestSide);
    if (sides.size() != 2)
        throw UsageError(fmt::format("--size: expected WIDTHxHEIGHT of 1 to {} pixels, found '{}'",
                                     largestSide, text));
    return {sides[0], sides[1]};
}

UploadPath parseUpload(const std::string& text) {
    for (const UploadPath path : uploadPaths)
        if (text == name(path))
            return path;
    throw UsageError(fmt::format("--upload: '{}' is not one of auto, interop, host", text));
}

void DisplayCommandOptions::addTo(CLI::App& app, Of of) {
    const OptionGroup group(app, "Display");
    of_ = of;
    std::vector<std::string> extras{"bare"};
    std::map<std::string, std::string> former;
    std::string help = "Elements to add, separated by commas.";
    for (const DisplayRow& row : displayRows()) {
        const ParamRow& param = row.param;
        const std::string name = "--" + param.id;
        if (row.extra) {
            extras.push_back(param.id);
            help += fmt::format(" {}: {}", param.id, param.help);
            if (!row.former.empty())
                former[row.former] = param.id;
        }
        // A sequence opened in the viewer has its own window.
        if (row.isSwitch() || (row.grayValue && of == Of::Viewer))
            continue;
        if (param.type == ParamType::Choice) {
            std::string& choice = choices_[param.id] = std::get<std::string>(param.defaultValue);
            options_[param.id] = app.add_option(name, choice, param.help)
                                     ->transform(oneOfIgnoringCase(param.choices))
                                     ->capture_default_str();
            continue;
        }
        options_[param.id] = addReal(app, row, param.id);
        if (!row.former.empty())
            options_[row.former] = addReal(app, row, row.former)->group(""); // hidden
    }
    addList(app, "--overlay", extras_, help + " bare: No labels, no crosshair.")
        ->transform(CLI::Transformer(former).description(""))
        ->check(oneOf(extras));
}

CLI::Option* DisplayCommandOptions::addReal(CLI::App& app, const DisplayRow& row,
                                            const std::string& name) {
    const ParamRow& param = row.param;
    CLI::Option* const option = app.add_option("--" + name, numbers_[param.id], param.help);
    if (row.automatic || row.grayValue)
        return option->check(param.minimum < 0 ? CLI::Validator(CLI::Number)
                                               : CLI::Validator(CLI::PositiveNumber));
    return option->check(inRange(param.minimum, param.maximum));
}

bool DisplayCommandOptions::given(const std::string& id) const {
    return std::ranges::any_of(options_, [row = &displayRow(id)](const auto& option) {
        return row->isNamed(option.first) && option.second->count() > 0;
    });
}

Layout DisplayCommandOptions::layout() const {
    DisplayOptions display;
    apply(display);
    return display.layout;
}

DisplayCommandOptions
DisplayCommandOptions::withOverlays(const std::vector<std::string>& extras) const {
    DisplayCommandOptions other = *this;
    other.extras_.clear();
    for (const std::string& extra : extras) {
        const std::size_t colon = extra.find(':');
        if (colon != std::string::npos) {
            const std::string id = extra.substr(0, colon);
            other.assigned_.emplace_back(id, displayRow(id).valueOf(extra.substr(colon + 1)));
            continue;
        }
        const auto row = std::ranges::find_if(displayRows(), [&](const DisplayRow& known) {
            return known.extra && known.isNamed(extra);
        });
        if (extra != "bare" && row == displayRows().end())
            throw UsageError(fmt::format("'{}' is no overlay (see --overlay)", extra));
        other.extras_.push_back(extra == "bare" ? extra : row->param.id);
    }
    return other;
}

bool DisplayCommandOptions::isNamed(const std::string& extra) const {
    return std::ranges::find(extras_, extra) != extras_.end();
}

void DisplayCommandOptions::show(DisplayOptions& display,
                                 const std::vector<std::string>& switches) const {
    if (std::ranges::none_of(switches, [&](const auto& id) { return isNamed(id); }))
        for (const std::string& id : switches)
            displayRow(id).set(display, true);
}

void DisplayCommandOptions::apply(DisplayOptions& display) const {
    for (const DisplayRow& row : displayRows()) {
        const std::string& id = row.param.id;
        if (row.extra && (of_ == Of::Picture || isNamed(id)))
            row.set(display, isNamed(id));
        else if (given(id) && row.param.type == ParamType::Choice)
            row.set(display, choices_.at(id));
        else if (given(id))
            row.set(display, numbers_.at(id));
    }
    for (const auto& [id, value] : assigned_)
        displayRow(id).set(display, value);
    if (isNamed("bare"))
        display.crosshair = display.annotations = false;
}

void SideOptions::addTo(CLI::App& app, bool withBackend) {
    const std::string backends = fmt::format("{}", fmt::join(backendNames(), ", "));
    const auto references = oneOf({"previous", "first", "window"});
    {
        const OptionGroup group(app, "How motion is estimated");
        if (withBackend)
            app.add_option("--backend", left.backend,
                           "Backend that estimates the motion: " + backends);
        app.add_option("--method", left.method,
                       "Motion estimation method ('systole methods' lists them)");
        app.add_option("--motion-preset", left.preset, "Preset of the method's parameters");
        addRepeatable(app, "--variant", left.variants,
                      "STAGE=NAME: memory variant of a CUDA kernel; only with CUDA");
        addRepeatable(app, "--set", left.assignments, "NAME=VALUE: a parameter of the method");
        app.add_option("--reference", left.reference,
                       "Frame in which the motion begins. previous: the motion from each frame to "
                       "the next; first: since the first frame; window: since the first frame, "
                       "each voxel's trajectory smoothed over --window-frames frames")
            ->check(references);
        app.add_option("--window-frames", left.window, windowHelp());
        app.add_flag("--no-autotune", noAutotune, noAutotuneHelp);
    }
    const OptionGroup group(app, "The right side of two estimations (--layout side)");
    app.add_option("--compare-backend", right.backend,
                   "Backend of the right side: " + backends +
                       "; its other settings are as on the left");
    app.add_option("--compare-method", right.method, "Method of the right side");
    app.add_option("--compare-preset", right.preset, "Preset of the right side");
    addRepeatable(app, "--compare-variant", right.variants, "STAGE=NAME of the right side");
    addRepeatable(app, "--compare-set", right.assignments, "NAME=VALUE of the right side");
    app.add_option("--compare-reference", right.reference, "Reference of the right side")
        ->check(references);
    app.add_option("--compare-window-frames", right.window, "Frames of the right side's window");
}

void SideOptions::apply(Session& session) const {
    applyMotionOptions(session, left, right);
    session.autotune = !noAutotune;
}

void SurfaceOptions::addTo(CLI::App& app) {
    const OptionGroup group(app, "A surface over the frames");
    CLI::Option* const ofFile =
        app.add_option("--surface", file,
                       "FILE or FILE:LABEL: the surface of a label (default 1) of a label map, 3D "
                       "or 4D, or a mesh (.vtp .stl .ply .obj .vtk) of the first frame");
    app.add_option_function<double>(
           "--surface-threshold",
           [this](double value) {
               threshold = value;
               hasThreshold = true;
           },
           "The surface that encloses the gray values above this one")
        ->excludes(ofFile);
    app.add_flag("--surface-per-frame", perFrame,
                 "Extract the surface of every frame from its own labels or gray values; without "
                 "it that of the first frame is carried along by the motion");
    app.add_flag("--surface-denoise", denoise,
                 "Denoise the surface by non-local means (preset live); the original surface is "
                 "then its ghost");
    app.add_option("--surface-preset", preset,
                   "Preset of --surface-denoise: live, or default, which is stronger and slower")
        ->check(oneOf(nonlocalMeansTable().presets()));
}

void SurfaceOptions::apply(SurfaceTool& surface, bool segmented) const {
    if (!preset.empty() && !denoise)
        throw UsageError("--surface-preset requires --surface-denoise");
    if (segmented && (hasSource() || perFrame))
        throw UsageError("--segment: its surface takes the place of --surface, --surface-threshold "
                         "and --surface-per-frame");
    if (!hasSource() && !segmented) {
        if (perFrame || denoise)
            throw UsageError("--surface-per-frame and --surface-denoise require --surface, "
                             "--surface-threshold or --segment");
        return;
    }
    SurfaceChoice& choice = surface.choice;
    if (segmented) {
        choice.source = SurfaceOrigin::Segmentation;
    } else if (hasThreshold) {
        choice.source = SurfaceOrigin::Threshold;
        choice.threshold = threshold;
    } else {
        choice = surfaceFromOption(file);
    }
    if (perFrame && choice.source == SurfaceOrigin::Mesh)
        throw UsageError(
            "--surface-per-frame: a mesh belongs to the first frame and can't be extracted "
            "from the others");
    if (denoise && choice.source == SurfaceOrigin::Mesh)
        throw UsageError("--surface-denoise: a mesh is shown as it is; 'systole denoise' makes a "
                         "denoised one from it");
    choice.carried = !perFrame && !segmented;
    choice.denoise = denoise;
    if (!preset.empty())
        choice.denoising = ParamSet(nonlocalMeansTable(), preset);
    ++choice.revision;
}

void SegmentationOptions::addTo(CLI::App& app) {
    const OptionGroup group(app, "A segmentation of the frame shown, as by 'systole segment'");
    CLI::Option* const ofSeed =
        app.add_option("--segment", seed, "x,y,z: a point inside a chamber, in LPS mm");
    app.add_flag("--segment-in-wall", inWall,
                 "The point is in the wall of the chamber; both are labelled")
        ->needs(ofSeed);
    app.add_option("--segment-points", points,
                   "APEX;MITRAL;RV, each x,y,z in LPS mm (quote it for the shell): apex of the "
                   "left ventricle's cavity, middle of the mitral ring, and where the wall of the "
                   "right ventricle joins that of the left")
        ->excludes(ofSeed);
    app.add_flag("--segment-voxel", voxel, "Points are voxels, counted from 0, instead of mm");
    app.add_flag("--segment-wall", wall, "Also label the wall around the chamber");
    app.add_flag(
        "--segment-all", all,
        "Segment every frame, beginning with the one shown; each starts from the contour of the "
        "one beside it");
}

void SegmentationOptions::apply(SegmentationTool& segment) const {
    if (!hasSeeds()) {
        if (any())
            throw UsageError("--segment-voxel, --segment-wall and --segment-all require --segment "
                             "or --segment-points");
        return;
    }
    segment.byPoints = !points.empty();
    if (segment.byPoints) {
        if (voxel && namesPointsFile(points))
            throw UsageError("--segment-voxel: the points of a file are mm");
        const auto three = ventriclePoints(points, "--segment-points");
        segment.seeds.assign(three.begin(), three.end());
    } else {
        segment.seeds = {parsePoint(seed, "--segment")};
    }
    segment.seedsInVoxels = voxel;
    segment.parameters.set("wall", wall);
    segment.parameters.set("in-wall", inWall);
    segment.allFrames = all;
}

void LandmarkOptions::addTo(CLI::App& app) {
    const OptionGroup group(app, "Landmarks over the frames, as by 'systole landmarks'");
    CLI::Option* const ofFile =
        app.add_option("--landmarks", file,
                       "Points of one frame, which are followed through the others, or tracks, "
                       "which are shown as they are");
    CLI::Option* const ofDetection =
        app.add_flag("--landmarks-detect", detect, "Find points, and follow them")
            ->excludes(ofFile);
    app.add_option("--landmarks-frame", frame, "Frame to find them in [default: the one shown]")
        ->check(CLI::NonNegativeNumber)
        ->needs(ofDetection);
    app.add_option(
        "--landmarks-set", parameters,
        "NAME=VALUE: a parameter of detection, tracking or wall, by the names of the "
        "options of 'systole landmarks detect' and 'landmarks track', reach in mm; "
        "elastic-wall=segmentation takes the wall of --segment, within=wall finds points "
        "in the wall alone");
    app.add_option("--landmark-reference", expert,
                   "Reference tracks for errors, .csv or .mrk.json, matched by name, else by "
                   "order");
    app.add_option("--landmark-wall", wall,
                   "Label map of the frame in which they begin: points in its wall move with an "
                   "elastic body, as by 'systole landmarks track --elastic-wall'");
}

void LandmarkOptions::apply(LandmarkTool& landmarks) const {
    if (!hasPoints()) {
        if (any())
            throw UsageError("--landmark-reference, --landmark-wall and --landmarks-set require "
                             "--landmarks or --landmarks-detect");
        return;
    }
    landmarks.wall.file = wall;
    if (!wall.empty())
        landmarks.parameters.set("elastic-wall", std::string("file"));
    for (const std::string& text : parameters)
        assignParameter(landmarks.parameters, text, "--landmarks-set");
    landmarks.openFile(file);
    landmarks.compareWith(expert);
    if (detect)
        landmarks.find(frame);
}

void LabOptions::addTo(CLI::App& app) {
    const OptionGroup group(app, "The panel Laboratory");
    CLI::Option* const ofLesson =
        app.add_option("--lesson", lesson, "Show the experiment of this lesson, from 1")
            ->check(lessonNumber());
    addList(app, "--lab-kernel", kernels,
            "Kernels to show, separated by commas; 'systole lab --list' names them")
        ->excludes(ofLesson); // set by its experiment
}

void LabOptions::apply(LaboratoryTool& laboratory) const {
    lab::LabQuestion question;
    if (lesson > 0)
        question = kernelExperiment(systole::lesson(lesson));
    if (!kernels.empty())
        question.kernels = kernels;
    try {
        for (const std::string& kernel : question.kernels)
            lab::labKernel(kernel);
    } catch (const ComputeError& error) {
        throw UsageError(fmt::format("--lab-kernel: {}", error.what()));
    }
    laboratory.ask(question, lesson);
}

void BiasOptions::addTo(CLI::App& app) {
    const OptionGroup group(app, "The panel Bias");
    parameters.addTo(app);
}

void BiasOptions::apply(BiasTool& bias, Backend backend) const {
    bias.parameters = parameters.values();
    bias.backend = backend;
}

} // namespace systole
