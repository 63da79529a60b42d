// systole phantom: a synthetic beating heart or a breathing chest with its true motion, or a pair
// of shapes that differ by a large deformation, written to a folder.
#include "io/phantom/phantom.h"

#include "app/commands/command.h"
#include "app/commands/command_work.h"
#include "app/commands/option_forms.h"
#include "app/commands/overwrite.h"
#include "app/commands/phantom_lungs.h"
#include "app/commands/record_parts.h"
#include "app/commands/text_parts.h"
#include "app/error.h"
#include "io/phantom/letter.h"
#include "io/writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace systole {
namespace {

constexpr int smallestSize = 16;
constexpr int largestSize = 1024;
constexpr double frameSeconds = 0.04; ///< between ball and letter, as between frames of a heart
constexpr const char* sequenceName = "sequence.nii.gz";
constexpr const char* labelsName = "labels.nii.gz";

std::string truthName(int frame) { return fmt::format("truth_{:04}.mha", frame); }
std::string visibleName(int frame) { return fmt::format("visible_{:04}.nii.gz", frame); }

/// True for everything that a run can write, except its records.
bool isPhantomFile(std::string_view name) {
    if (name == sequenceName || name == labelsName || isLungFile(name))
        return true;
    const std::string_view number = name.substr(std::min(name.find('_'), name.size() - 1) + 1);
    int frame = 0;
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
    const std::vector<int> sides = wholeNumbersIn(text, 'x', smallestSize, largestSize);
    if (sides.size() != 1 && sides.size() != 3)
        throw UsageError(fmt::format("--size: '{}' is neither N nor XxYxZ with sides of {} to {}",
                                     text, smallestSize, largestSize));
    return {sides.front(), sides[sides.size() / 2], sides.back()};
}

Json sizeOf(const Geometry& geometry) {
    return {{"size", geometry.size()}, {"spacing_mm", geometry.spacing()}};
}

Json recordOf(const Phantom& phantom) {
    const PhantomOptions& options = phantom.options();
    const bool echo = options.look == PhantomLook::Echo;
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
    Json json{{"program", programOf()}, {"frame_of_reference", "LPS"}, {"units", "mm"}};
    json.update(sizeOf(phantom.geometry()));
    json.update({{"frames", options.frames},
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
                 {"truth", truth}});
    return json;
}

std::string voxelsText(const Json& record) {
    return fmt::format("{}", fmt::join(record["size"].get<std::vector<int>>(), " x "));
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

class PhantomCommand : public Command {
public:
    PhantomCommand()
        : Command("phantom",
                  "Make a synthetic beating heart or breathing chest with its true motion, or a "
                  "letter C and a ball") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    void addImage(CLI::App& app);
    void addHeart(CLI::App& app);
    PhantomOptions makeOptions() const;
    /// Runs work(folder, ctx), which returns the record, on a folder for the files, and prints
    /// what report(record) says of it.
    void runInFolder(std::vector<std::string> files, const auto& work, const auto& report);
    void runHeart();
    void runLetter();
    void runLungs();

    OverwriteOption overwrite_;
    std::string folder_, size_ = "128", look_ = "echo";
    PhantomOptions heart_; ///< without size, look, noise and duration of the cycle
    double cycleMilliseconds_ = 800, noise_ = -1;
    int threads_ = 0;
    bool letter_ = false;
    LungArguments lungs_;
    CLI::Option *sizeOption_ = nullptr, *framesOption_ = nullptr; ///< owned by the parser
};

void PhantomCommand::addImage(CLI::App& app) {
    sizeOption_ =
        app.add_option("--size", size_, "Voxels: N for a cube, or XxYxZ")->capture_default_str();
    addNumber(app, "--field-of-view", heart_.fieldOfViewMillimeters, 1, 10000, "Longest side, mm");
    addNumber(
        app, "--planes-per-slice", heart_.planesPerSlice, 1, 64,
        "Planes of cubes that a slice is the mean of, as in cine MR. 1: voxels are cubes; more: "
        "the size's z counts slices");
    framesOption_ = addNumber(app, "--frames", heart_.frames, 2, 1000, "Frames of one cycle");
    addNumber(app, "--cycle", cycleMilliseconds_, 1, 100000, "Duration of the cycle, ms");
    addChoice(
        app, "--look", look_, {"echo", "ct"},
        "What the image looks like. echo: fully developed speckle, log-compressed; ct: smooth "
        "and poor in texture");
    app.add_option("--noise", noise_,
                   "Standard deviation. echo: of the factor on the envelope [0.1]; ct: of the gray "
                   "values of 0 to 255 [12]")
        ->check(CLI::Range(0.0, 100.0));
    app.add_option("--seed", heart_.seed, "Random seed")->capture_default_str();
}

void PhantomCommand::addHeart(CLI::App& app) {
    const OptionGroup group(app, "What the heart does, and what its image has");
    addNumber(app, "--motion-scale", heart_.motionScale, 0, 2,
              "Factor on the motion, 1 for a healthy heart's; 0: none");
    addNumber(app, "--correlation", heart_.amplitudeCorrelation, 0, 1,
              "Speckle correlation of each frame with frame 0, for the look echo");
    addNumber(app, "--gain-drift", heart_.gainDrift, 0.1, 10,
              "Factor on the intensities of the last frame relative to the first, in between a "
              "straight line in dB; echo: on the envelope, before the logarithm");
    addNumber(app, "--bias", heart_.biasAmplitude, 0, 0.9,
              "Amplitude of a smooth factor on the intensities that differs from place to place "
              "(waves of 120 mm) and drifts over the cycle, 0 to 0.9");
    addNumber(app, "--sector", heart_.sectorDegrees, 0, 150,
              "Opening angle of the still sector of an echo probe, 20 to 150 degrees; the image is "
              "0 outside it. The apex lies 30 mm above the base and 12 mm beside the long axis. "
              "Also writes visible_%04d.nii.gz: 1 where the sector shows the tissue in frame 0 and "
              "in frame t. 0: no sector");
    addNumber(app, "--dropout", heart_.dropout, 0, 1,
              "For the look echo: part of the amplitude, 0 to 1, that is lost in the middle of "
              "four regions of the wall, each in other frames");
    app.add_flag("--sliding", heart_.sliding,
                 "The heart slides in the tissue around it, which only makes way along the radius: "
                 "the true motion is discontinuous at the epicardium");
}

void PhantomCommand::addOptions(CLI::App& app) {
    app.add_option("-o,--output", folder_,
                   "Folder for the sequence, labels, true motion and record. They are "
                   "sequence.nii.gz, labels.nii.gz (of frame 0: 1 wall, 2 blood), truth_%04d.mha "
                   "(displacement from frame 0 to t, LPS mm) and, last, phantom.json")
        ->required();
    overwrite_.addTo(app, overwriteRunHelp);
    addThreads(app, threads_);
    const std::vector<CLI::Option*> ofAll = app.get_options();
    const auto without = [](const auto& all, const std::vector<CLI::Option*>& some) {
        std::vector<CLI::Option*> rest(all.begin(), all.end());
        std::erase_if(rest,
                      [&](CLI::Option* o) { return std::ranges::find(some, o) != some.end(); });
        return rest;
    };
    addImage(app);
    addHeart(app);
    const std::vector<CLI::Option*> ofHeart = without(app.get_options(), ofAll);
    const OptionGroup group(app, "Other phantoms");
    CLI::Option* const letter = app.add_flag(
        "--c-to-ball", letter_,
        "Not a heart: a ball, and the letter C that it is hollowed and slit into. For "
        "registrations of a large deformation: frame 0 is the ball, frame 1 the letter. No true "
        "motion; only size, field of view and output can be chosen");
    for (CLI::Option* const option :
         without(ofHeart, {sizeOption_, app.get_option("--field-of-view")}))
        letter->excludes(option);
    CLI::Option* const lungs = lungs_.addTo(app);
    for (CLI::Option* const option :
         without(ofHeart,
                 {sizeOption_, framesOption_, app.get_option("--noise"), app.get_option("--seed")}))
        lungs->excludes(option);
    lungs->excludes(letter);
}

PhantomOptions PhantomCommand::makeOptions() const {
    PhantomOptions options = heart_;
    options.size = parseSize(size_);
    options.cycleSeconds = cycleMilliseconds_ / 1000;
    options.look = look_ == "echo" ? PhantomLook::Echo : PhantomLook::Ct;
    if (noise_ >= 0)
        (options.look == PhantomLook::Echo ? options.multiplicativeNoise : options.additiveNoise) =
            noise_;
    return options;
}

void PhantomCommand::runInFolder(std::vector<std::string> files, const auto& work,
                                 const auto& report) {
    CommandWork command(threads_);
    RunFolder folder(folder_, phantomFolderKind, std::move(files), overwrite_.given());
    const Json record = command.run([&](const ExecContext& ctx) {
        Json written = work(folder, ctx);
        ctx.throwIfCancelled();
        folder.finish(written);
        return written;
    });
    fmt::print("wrote {} to {}\n", report(record), folder_);
    printReplaced(folder);
}

void PhantomCommand::runHeart() {
    const Phantom phantom(makeOptions());
    runInFolder(
        phantomFiles(phantom.options()),
        [&](RunFolder& folder, const ExecContext& ctx) {
            writePhantom(phantom, folder, ctx);
            return recordOf(phantom);
        },
        [&](const Json& record) {
            return fmt::format("{} frames of {} voxels with their true motion", heart_.frames,
                               voxelsText(record));
        });
}

/// Two frames without a true motion: the ball, and the letter.
void PhantomCommand::runLetter() {
    const Geometry geometry = Phantom(makeOptions()).geometry();
    const auto draw = [&](RunFolder& folder, const ExecContext&) {
        folder.write(sequenceName, [&](const std::string& path) {
            writeSequence(path, geometry, 2, frameSeconds,
                          [&](int frame, VolumeView<float> voxels) {
                              drawLetter(frame == 0 ? LetterFrame::Ball : LetterFrame::Letter,
                                         geometry, voxels);
                          });
        });
        Json json{{"program", programOf()}, {"shape", "c-to-ball"}};
        json.update(sizeOf(geometry));
        json.update({{"frames", 2}, {"sequence", sequenceName}});
        return json;
    };
    runInFolder({sequenceName}, draw, [](const Json& record) {
        return fmt::format("a ball and a letter C of {} voxels", voxelsText(record));
    });
}

void PhantomCommand::runLungs() {
    LungJob job = lungs_.makeJob();
    if (sizeOption_->count() > 0)
        job.size = parseSize(size_);
    job.options.frames = framesOption_->count() > 0 ? heart_.frames : job.options.frames;
    if (job.options.frames != 2 && job.options.frames != 10)
        throw UsageError("--frames: lungs have 10 phases, T00 to T90, or 2, T00 and T50");
    if (noise_ >= 0)
        job.options.noiseHounsfield = noise_;
    job.options.seed = heart_.seed;
    runInFolder(
        lungFiles(job),
        [&](RunFolder& folder, const ExecContext& ctx) { return writeLungs(job, folder, ctx); },
        [&](const Json& record) {
            return fmt::format("{} phases of {} voxels with {} landmarks", job.options.frames,
                               voxelsText(record), record["landmarks"]["count"].get<int>());
        });
}

int PhantomCommand::run() {
    if (letter_)
        runLetter();
    else if (lungs_.given())
        runLungs();
    else
        runHeart();
    return 0;
}

} // namespace

std::unique_ptr<Command> makePhantomCommand() { return std::make_unique<PhantomCommand>(); }

} // namespace systole
