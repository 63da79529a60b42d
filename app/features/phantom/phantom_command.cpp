// systole phantom: a synthetic beating heart or a breathing chest with its true motion, or a pair
// of shapes that differ by a large deformation, written to a folder.
#include "app/base/error.h"
#include "app/cli/command.h"
#include "app/cli/command_work.h"
#include "app/cli/common_options.h"
#include "app/cli/option_forms.h"
#include "app/cli/overwrite.h"
#include "app/cli/record_parts.h"
#include "app/cli/task_options.h"
#include "app/cli/text_parts.h"
#include "app/features/phantom/phantom_lungs.h"
#include "io/formats/writer.h"
#include "io/phantom/family.h"
#include "io/phantom/letter.h"
#include "io/phantom/phantom.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

namespace systole {
namespace {

constexpr int smallestSize = 16;
constexpr int largestSize = 1024;
/// Interval between frames of ball and letter, usual for a heart.
constexpr double frameSeconds = 0.04;
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
    constexpr int any = std::numeric_limits<int>::max();
    const std::vector<int> sides = wholeNumbersIn(text, 'x', -any, any);
    if (sides.size() != 1 && sides.size() != 3)
        throw UsageError(fmt::format("--size: '{}' is neither N nor XxYxZ, such as 128 or "
                                     "192x128x{}",
                                     text, smallestSize));
    const auto bad = std::ranges::find_if(
        sides, [](int side) { return side < smallestSize || side > largestSize; });
    if (bad != sides.end()) {
        constexpr std::string_view axes[] = {"x", "y", "z"};
        throw UsageError(fmt::format(
            "--size: {} to {} voxels were expected along each axis (slices along z), but '{}' has "
            "{} along {}",
            smallestSize, largestSize, text, *bad,
            sides.size() == 1 ? "each" : axes[bad - sides.begin()]));
    }
    return {sides.front(), sides[sides.size() / 2], sides.back()};
}

Json sizeOf(const Geometry& geometry) {
    return {{"size", geometry.size()}, {"spacing_mm", geometry.spacing()}};
}

/// Key of a number in the record: its option's name with its unit.
std::string keyOf(const ParamRow& row) {
    std::string key = row.unit.empty() ? row.id : row.id + "_" + row.unit;
    std::ranges::replace(key, '-', '_');
    return key;
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
                 {"noise", echo ? options.multiplicativeNoise : options.additiveNoise}});
    const ParamSet values = phantomTable().valuesOf(options);
    for (const ParamRow& row : values.table().rows())
        std::visit([&](const auto& value) { json[keyOf(row)] = value; }, values.value(row.id));
    json.update({{"seed", options.seed},
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
    std::string family_; ///< its look; empty: no member of it
    TaskParameters parameters_{phantomTable().table()};
    int frames_ = PhantomOptions{}.frames;
    std::uint64_t seed_ = 1;
    double cycleMilliseconds_ = 800, noise_ = -1;
    int threads_ = 0;
    bool letter_ = false;
    LungArguments lungs_;
    CLI::Option *sizeOption_ = nullptr, *framesOption_ = nullptr; ///< owned by the parser
};

void PhantomCommand::addImage(CLI::App& app) {
    sizeOption_ =
        app.add_option("--size", size_,
                       fmt::format("Voxels: N for a cube, or XxYxZ; {} to {} along each axis",
                                   smallestSize, largestSize))
            ->capture_default_str();
    framesOption_ = addNumber(app, "--frames", frames_, 2, 1000, "Frames of one cycle");
    addNumber(app, "--cycle", cycleMilliseconds_, 1, 100000, "Duration of the cycle, ms");
    CLI::Option* const look = addChoice(
        app, "--look", look_, {"echo", "ct"},
        "What the image looks like. echo: fully developed speckle, log-compressed; ct: smooth "
        "and poor in texture");
    std::vector<std::string> looks;
    for (const PhantomLookRow& row : phantomLooks())
        looks.emplace_back(row.name);
    app.add_option("--family", family_,
                   "A member of the family of `bench accuracy`: its seed decides shape, position, "
                   "motion and image; other options still override it. hard: decorrelated and "
                   "noisy; small: the same with a quarter of the motion")
        ->check(oneOf(looks))
        ->excludes(look);
    app.add_option("--noise", noise_,
                   "Standard deviation. echo: of the factor on the envelope [0.1]; ct: of the gray "
                   "values of 0 to 255 [12]")
        ->check(inRange(0.0, 100.0));
    app.add_option("--seed", seed_, "Random seed")->capture_default_str();
}

void PhantomCommand::addHeart(CLI::App& app) {
    const OptionGroup group(app, "The heart, its motion and its image");
    parameters_.addTo(app);
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
    PhantomOptions options;
    const Size3 size = parseSize(size_);
    if (!family_.empty()) {
        if (size.x != size.y || size.x != size.z)
            throw UsageError("--family: its size is that of a cube");
        options = familyMember(family_, size.x, seed_);
    } else {
        options.size = size;
        options.look = look_ == "echo" ? PhantomLook::Echo : PhantomLook::Ct;
        options.seed = seed_;
    }
    phantomTable().into(options, parameters_.over(phantomTable().valuesOf(options)));
    if (!family_.empty())
        options.size = familyGrid(size.x, options);
    if (family_.empty() || framesOption_->count() > 0)
        options.frames = frames_;
    options.cycleSeconds = cycleMilliseconds_ / 1000;
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
            return fmt::format("{} frames of {} voxels with their true motion",
                               phantom.options().frames, voxelsText(record));
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
    job.options.frames = framesOption_->count() > 0 ? frames_ : job.options.frames;
    if (job.options.frames != 2 && job.options.frames != 10)
        throw UsageError("--frames: lungs have 10 phases, T00 to T90, or 2, T00 and T50");
    if (noise_ >= 0)
        job.options.noiseHounsfield = noise_;
    job.options.seed = seed_;
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
