#include "app/commands/phantom.h"

#include "app/commands/interrupt.h"
#include "app/commands/phantom_lungs.h"
#include "app/commands/progress.h"
#include "app/commands/run_folder.h"
#include "app/error.h"
#include "app/version.h"
#include "compute/core/machine.h"
#include "io/phantom/letter.h"
#include "io/writer.h"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

constexpr int smallestSize = 16;
constexpr int largestSize = 1024;
constexpr double frameSeconds = 0.04; ///< of shapes, as a heart has
constexpr const char* sequenceName = "sequence.nii.gz";
constexpr const char* labelsName = "labels.nii.gz";

std::string truthName(int frame) { return fmt::format("truth_{:04}.mha", frame); }
std::string visibleName(int frame) { return fmt::format("visible_{:04}.nii.gz", frame); }

/// True for everything that a run can write, except its records.
bool isPhantomFile(std::string_view name) {
    if (name == sequenceName || name == labelsName || isLungFile(name))
        return true;
    int frame = 0;
    const std::string_view number = name.substr(std::min(name.find('_'), name.size() - 1) + 1);
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), frame);
    return parsed.ec == std::errc{} && frame >= 0 &&
           (name == truthName(frame) || name == visibleName(frame));
}

const RunFolderKind phantomFolderKind{"phantom", "phantom.json", isPhantomFile};

std::vector<std::string> phantomFiles(const PhantomOptions& options) {
    std::vector<std::string> files{sequenceName, labelsName};
    for (int frame = 1; frame < options.frames; ++frame) {
        files.push_back(truthName(frame));
        if (options.sectorDegrees > 0)
            files.push_back(visibleName(frame));
    }
    return files;
}

/// Parses "128" (a cube) or "192x128x192".
Size3 parseSize(const std::string& text) {
    int sides[3] = {0, 0, 0};
    int count = 0;
    const char* next = text.data();
    const char* end = next + text.size();
    while (count < 3) {
        const auto result = std::from_chars(next, end, sides[count]);
        if (result.ec != std::errc{} || sides[count] < smallestSize || sides[count] > largestSize)
            break;
        ++count;
        next = result.ptr;
        if (next == end || *next != 'x')
            break;
        ++next;
    }
    if (next != end || (count != 1 && count != 3))
        throw UsageError(fmt::format("--size: '{}' is neither N nor XxYxZ with sides of {} to {}",
                                     text, smallestSize, largestSize));
    return count == 1 ? Size3{sides[0], sides[0], sides[0]} : Size3{sides[0], sides[1], sides[2]};
}

Json recordOf(const Phantom& phantom) {
    const PhantomOptions& options = phantom.options();
    const bool echo = options.look == PhantomLook::Echo;
    const Vec3 spacing = phantom.geometry().spacing();
    Json contraction = Json::array();
    Json truth = Json::array();
    for (int frame = 0; frame < options.frames; ++frame) {
        contraction.push_back(phantom.contraction(frame));
        if (frame == 0)
            continue;
        truth.push_back({{"file", truthName(frame)},
                         {"direction", "fixed to moving"},
                         {"fixed", 0},
                         {"moving", frame}});
        if (options.sectorDegrees > 0)
            truth.back()["visible"] = visibleName(frame);
    }
    const Json json{{"program", {{"name", "systole"}, {"version", programVersion()}}},
                    {"frame_of_reference", "LPS"},
                    {"units", "mm"},
                    {"size", {options.size.x, options.size.y, options.size.z}},
                    {"spacing_mm", {spacing.x, spacing.y, spacing.z}},
                    {"frames", options.frames},
                    {"cycle_ms", 1000 * options.cycleSeconds},
                    {"look", echo ? "echo" : "ct"},
                    {"motion_scale", options.motionScale},
                    {"correlation", options.amplitudeCorrelation},
                    {"noise", echo ? options.multiplicativeNoise : options.additiveNoise},
                    {"gain_drift", options.gainDrift},
                    {"bias", options.biasAmplitude},
                    {"sector_degrees", options.sectorDegrees},
                    {"dropout", options.dropout},
                    {"sliding", options.sliding},
                    {"seed", options.seed},
                    {"sequence", sequenceName},
                    {"labels",
                     {{"file", labelsName},
                      {"frame", 0},
                      {"values", {{"surroundings", 0}, {"wall", 1}, {"blood", 2}}}}},
                    {"contraction", contraction},
                    {"truth", truth}};
    return json;
}

/// Writes everything but the record.
void writePhantom(const Phantom& phantom, RunFolder& folder, const ExecContext& ctx) {
    const PhantomOptions& options = phantom.options();
    const Geometry& geometry = phantom.geometry();
    const int frames = options.frames;
    const int steps =
        2 * frames; // an image per frame, labels, a true field per frame but the first
    const auto step = [&](const std::string& what, int index) {
        ctx.throwIfCancelled();
        ctx.report(what, static_cast<double>(index) / steps);
    };
    folder.write(sequenceName, [&](const std::string& path) {
        writeSequence(path, geometry, frames, options.cycleSeconds / frames,
                      [&](int frame, VolumeView<float> voxels) {
                          step(fmt::format("image {} of {}", frame + 1, frames), frame);
                          ExecContext quiet = ctx;
                          quiet.progress = nullptr;
                          phantom.image(frame, voxels, quiet);
                      });
    });
    step("labels", frames);
    ExecContext quiet = ctx;
    quiet.progress = nullptr;
    folder.write(labelsName, [&](const std::string& path) {
        writeLabels(path, geometry, phantom.labels(0, quiet));
    });
    for (int frame = 1; frame < frames; ++frame) {
        step(fmt::format("true motion {} of {}", frame, frames - 1), frames + frame);
        const VectorField truth = phantom.truth(0, frame, quiet);
        folder.write(truthName(frame), [&](const std::string& path) {
            writeField(path, toMillimeters(truth, *ctx.pool), FieldFormat::MetaImage);
        });
        if (options.sectorDegrees > 0)
            folder.write(visibleName(frame), [&](const std::string& path) {
                writeLabels(path, geometry, phantom.visible(0, frame, quiet));
            });
    }
}

/// Whether an option is meant for --c-to-ball, too.
bool letterTakes(const std::string& option) {
    constexpr std::string_view taken[] = {"--output",  "--overwrite", "--size", "--field-of-view",
                                          "--threads", "--c-to-ball", "--help"};
    return std::ranges::find(taken, option) != std::end(taken);
}

} // namespace

void PhantomCommand::addOptions(CLI::App& app) {
    app.add_option(
           "-o,--output", folder_,
           "Folder for sequence.nii.gz, labels.nii.gz (of frame 0: 1 wall, 2 blood), "
           "truth_%04d.mha (displacement from frame 0 to t, LPS mm) and, last, phantom.json")
        ->required();
    overwrite_.addTo(app, overwriteRunHelp);
    sizeOption_ =
        app.add_option("--size", size_, "Voxels: N for a cube, or XxYxZ")->capture_default_str();
    app.add_option("--field-of-view", fieldOfViewMillimeters_, "Longest side, mm")
        ->check(CLI::Range(1.0, 10000.0))
        ->capture_default_str();
    app.add_option(
           "--planes-per-slice", planesPerSlice_,
           "1: voxels are cubes; more: the size's z counts slices, each the mean of so many "
           "planes of cubes, as in cine MR")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    framesOption_ = app.add_option("--frames", frames_, "Frames of one cycle")
                        ->check(CLI::Range(2, 1000))
                        ->capture_default_str();
    app.add_option("--cycle", cycleMilliseconds_, "Duration of the cycle, ms")
        ->check(CLI::Range(1.0, 100000.0))
        ->capture_default_str();
    app.add_option("--look", look_,
                   "echo: fully developed speckle, log-compressed; ct: smooth and poor in texture")
        ->check(CLI::IsMember({"echo", "ct"}))
        ->capture_default_str();
    app.add_option("--motion-scale", motionScale_, "1: a healthy heart's motion; 0: none")
        ->check(CLI::Range(0.0, 2.0))
        ->capture_default_str();
    app.add_option("--correlation", correlation_,
                   "Speckle correlation of each frame with frame 0, for the look echo")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    app.add_option("--noise", noise_,
                   "echo: standard deviation of the factor on the envelope [0.1]; ct: of the gray "
                   "values of 0 to 255 [12]")
        ->check(CLI::Range(0.0, 100.0));
    app.add_option("--gain-drift", gainDrift_,
                   "Factor on the intensities of the last frame relative to the first, in between "
                   "a straight line in dB; echo: on the envelope, before the logarithm")
        ->check(CLI::Range(0.1, 10.0))
        ->capture_default_str();
    app.add_option("--bias", bias_,
                   "Amplitude of a smooth factor on the intensities that differs from place to "
                   "place (waves of 120 mm) and drifts over the cycle, 0 to 0.9")
        ->check(CLI::Range(0.0, 0.9))
        ->capture_default_str();
    app.add_option("--sector", sectorDegrees_,
                   "Opening angle of the still sector of an echo probe, 20 to 150 degrees; the "
                   "image is 0 outside it. The apex lies 30 mm above the base and 12 mm beside the "
                   "long axis. Also writes visible_%04d.nii.gz: 1 where the sector shows the "
                   "tissue in frame 0 and in frame t. 0: no sector")
        ->check(CLI::Range(0.0, 150.0))
        ->capture_default_str();
    app.add_option("--dropout", dropout_,
                   "For the look echo: part of the amplitude, 0 to 1, that is lost in the middle "
                   "of four regions of the wall, each in other frames")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    app.add_flag("--sliding", sliding_,
                 "The heart slides in the tissue around it, which only makes way along the radius: "
                 "the true motion is discontinuous at the epicardium");
    app.add_option("--seed", seed_, "Random seed")->capture_default_str();
    CLI::Option* const letter = app.add_flag(
        "--c-to-ball", letter_,
        "Not a heart: frame 0 is a ball, frame 1 the letter C that it is hollowed and slit into, "
        "for registrations of a large deformation. No true motion; only size, field of view and "
        "output can be chosen");
    for (CLI::Option* const ofHeart : app.get_options())
        if (!letterTakes(ofHeart->get_name()))
            letter->excludes(ofHeart);
    lungs_.addTo(app);
    app.add_option("--threads", threads_, "Number of threads; 0: all hardware threads")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
}

PhantomOptions PhantomCommand::makeOptions() const {
    PhantomOptions options;
    options.size = parseSize(size_);
    options.fieldOfViewMillimeters = fieldOfViewMillimeters_;
    options.planesPerSlice = planesPerSlice_;
    options.frames = frames_;
    options.cycleSeconds = cycleMilliseconds_ / 1000;
    options.look = look_ == "echo" ? PhantomLook::Echo : PhantomLook::Ct;
    options.motionScale = motionScale_;
    options.amplitudeCorrelation = correlation_;
    if (noise_ >= 0)
        (options.look == PhantomLook::Echo ? options.multiplicativeNoise : options.additiveNoise) =
            noise_;
    options.gainDrift = gainDrift_;
    options.biasAmplitude = bias_;
    options.sectorDegrees = sectorDegrees_;
    options.dropout = dropout_;
    options.sliding = sliding_;
    options.seed = seed_;
    return options;
}

/// Two frames without a true motion: the ball, and the letter.
int PhantomCommand::runLetter() {
    const InterruptWatch watch([] {},
                               [this] { RunFolder::removePartial(folder_, phantomFolderKind); });
    const Geometry geometry = Phantom(makeOptions()).geometry();
    RunFolder folder(folder_, phantomFolderKind, {sequenceName}, overwrite_.given());
    folder.write(sequenceName, [&](const std::string& path) {
        writeSequence(path, geometry, 2, frameSeconds, [&](int frame, VolumeView<float> voxels) {
            drawLetter(frame == 0 ? LetterFrame::Ball : LetterFrame::Letter, geometry, voxels);
        });
    });
    const Size3 size = geometry.size();
    const Vec3 spacing = geometry.spacing();
    folder.finish({{"program", {{"name", "systole"}, {"version", programVersion()}}},
                   {"shape", "c-to-ball"},
                   {"size", {size.x, size.y, size.z}},
                   {"spacing_mm", {spacing.x, spacing.y, spacing.z}},
                   {"frames", 2},
                   {"sequence", sequenceName}});
    fmt::print("wrote a ball and a letter C of {} x {} x {} voxels to {}\n", size.x, size.y, size.z,
               folder_);
    printReplaced(folder);
    return 0;
}

int PhantomCommand::runLungs() {
    CancelToken cancel;
    const InterruptWatch watch([cancel]() mutable { cancel.cancel(); },
                               [this] { RunFolder::removePartial(folder_, phantomFolderKind); });
    LungJob job = lungs_.makeJob();
    if (sizeOption_->count() > 0)
        job.size = parseSize(size_);
    job.options.frames = framesOption_->count() > 0 ? frames_ : job.options.frames;
    if (job.options.frames != 2 && job.options.frames != 10)
        throw UsageError("--frames: lungs have 10 phases, T00 to T90, or 2, T00 and T50");
    if (noise_ >= 0)
        job.options.noiseHounsfield = noise_;
    job.options.seed = seed_;
    RunFolder folder(folder_, phantomFolderKind, lungFiles(job), overwrite_.given());
    ExecResources resources(threads_, describeMachine().availableBytes / 10 * 9);
    ExecContext ctx = resources.context();
    ctx.cancel = cancel;
    Json record;
    {
        ProgressBar bar;
        ctx.progress = [&bar](const std::string& phase, double fraction) {
            bar.update(phase, fraction);
        };
        record = writeLungs(job, folder, ctx);
        ctx.throwIfCancelled();
        folder.finish(record);
    }
    fmt::print("wrote {} phases of {} voxels with {} landmarks to {}\n", job.options.frames,
               fmt::join(record["size"].get<std::vector<int>>(), " x "),
               record["landmarks"]["count"].get<int>(), folder_);
    printReplaced(folder);
    return 0;
}

int PhantomCommand::run() {
    if (letter_)
        return runLetter();
    if (lungs_.given())
        return runLungs();
    CancelToken cancel;
    const InterruptWatch watch([cancel]() mutable { cancel.cancel(); },
                               [this] { RunFolder::removePartial(folder_, phantomFolderKind); });

    const Phantom phantom(makeOptions());
    RunFolder folder(folder_, phantomFolderKind, phantomFiles(phantom.options()),
                     overwrite_.given());

    ExecResources resources(threads_, describeMachine().availableBytes / 10 * 9);
    ExecContext ctx = resources.context();
    ctx.cancel = cancel;
    {
        ProgressBar bar;
        ctx.progress = [&bar](const std::string& phase, double fraction) {
            bar.update(phase, fraction);
        };
        writePhantom(phantom, folder, ctx);
        ctx.throwIfCancelled();
        folder.finish(recordOf(phantom));
    }
    const Size3 size = phantom.geometry().size();
    fmt::print("wrote {} frames of {} x {} x {} voxels with their true motion to {}\n", frames_,
               size.x, size.y, size.z, folder_);
    printReplaced(folder);
    return 0;
}

} // namespace systole
