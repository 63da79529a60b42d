// systole motion: the displacement field of every frame of a sequence, written to a folder.
#include "app/anatomy/tissue_labels.h"
#include "app/base/error.h"
#include "app/base/frame_range.h"
#include "app/base/plural.h"
#include "app/cli/command.h"
#include "app/cli/command_work.h"
#include "app/cli/method_options.h"
#include "app/cli/option_forms.h"
#include "app/cli/overwrite.h"
#include "app/cli/shared_devices.h"
#include "app/features/motion/chosen_devices.h"
#include "app/features/motion/motion_files.h"
#include "app/features/motion/motion_run.h"
#include "app/features/motion/motion_summary.h"
#include "app/tuning/autotune_file.h"
#include "compute/core/error.h"
#include "compute/motion/frame_stages.h"
#include "compute/motion/methods.h"
#include "compute/motion/motion_errors.h"
#include "compute/motion/trajectory_filter.h"
#include "io/base/error.h"
#include "io/base/text.h"
#include "io/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <tuple>

namespace systole {
namespace {

/// Pairs per chain: enough that estimations rarely start from zero, and few enough that a cycle
/// keeps two devices busy.
constexpr int chainOnDevices = 16;

std::string stageHelp() {
    std::string text =
        "Step to run on each finished field; its figures are written to run.json. NAME or "
        "NAME:ID=VALUE,ID=VALUE; repeatable.";
    for (const FrameStage& stage : availableStages()) {
        text += fmt::format(" {}: {}", stage.name, stage.title);
        const ParamSet defaults(*stage.parameters);
        for (const ParamRow& row : stage.parameters->rows())
            text += fmt::format("; {}: {} [{}; default {}]", row.id, parameterHelp(row),
                                rangeText(row), defaults.text(row.id));
    }
    return text;
}

std::shared_ptr<const Volume> readWeights(const std::string& file, const Geometry& geometry,
                                          BufferPool& pool) {
    const Sequence sequence = openSequence({file});
    if (sequence.frames != 1 || !sequence.geometry.matches(geometry, 1e-2))
        throw FileError(fmt::format(
            "{}: the incompressibility map must be one frame on the grid of the sequence", file));
    auto weights = std::make_shared<Volume>(sequence.geometry, pool, "incompressibility");
    sequence.source->read(0, weights->view());
    for (const float weight : weights->voxels.span())
        if (!(weight >= 0 && weight <= 1))
            throw FileError(fmt::format(
                "{}: the weights of an incompressibility map lie between 0 and 1, found {}", file,
                weight));
    return weights;
}

class MotionCommand : public Command {
public:
    explicit MotionCommand(SharedDevices* shared = nullptr, int sharedDevice = 0)
        : Command("motion",
                  "Estimate the motion from frame to frame and write it as displacement fields")
        , shared_(shared)
        , sharedDevice_(sharedDevice) {}
    void addOptions(CLI::App& app) override;
    void prepareHelp(CLI::App& app) override { options_.prepareHelp(app); }
    int run() override;

private:
    void addVolumeOptions(CLI::App& app);
    MotionJob makeJob() const;
    /// Reads the weight on volume preservation, if one is given.
    void readIncompressibility(MotionJob& job, const ExecContext& ctx) const;
    void openDevices(MotionJob& job) const;
    void openWorkers(MotionJob& job) const;
    void printBegin(const MotionJob& job) const;
    /// Throws if --trace may not be written.
    void checkTrace(const MotionJob& job) const;

    SharedDevices* const shared_;
    const int sharedDevice_;
    std::vector<std::string> files_;
    std::string folder_;
    MethodOptions options_;
    std::string reference_ = "previous";
    int chain_ = 0; ///< 0: not given
    std::string devices_;
    std::string format_ = "mha", frames_, incompressibility_, tissue_, trace_;
    int tissueLabel_ = 0; ///< 0: as the label map says
    double frameTimeMilliseconds_ = 0;
    int window_ = 0;
    bool lagrangian_ = false, closeCycle_ = false, certainty_ = false;
    OverwriteOption overwrite_;
    std::vector<std::string> stages_; ///< stages in the format of chosenStages()
};

void MotionCommand::addOptions(CLI::App& app) {
    app.description(fmt::format("{}.\nFor the frames of one sequence, which lie in one place: a "
                                "field for each. For two images that differ in grid, place or "
                                "modality, and to warp images and labels, use 'systole register'.",
                                summary()));
    addFiles(app, files_)->required();
    app.add_option("-o,--output", folder_,
                   "Folder for the fields, created if necessary. run.json is written last: its "
                   "presence means that the run is complete. For each pair it also says how many "
                   "voxels fold, and whether the motion brings the frames closer")
        ->required();
    overwrite_.addTo(app, overwriteRunHelp);
    options_.addTo(app, motionMethods(), motionMethods().front().name, "Motion estimation method");
    addChoice(
        app, "--reference", reference_, {"previous", "first", "window"},
        "The fixed frame for the moving frame t. previous: frame t-1; first: the first frame, "
        "starting from the motion into t-1 followed by that from t-1 to t, which takes two "
        "estimations, with methods that keep errors of their start (clg, ffd, unbiased) a third "
        "one from rest; window: as first, and each voxel's trajectory is smoothed over --window "
        "frames, which reduces noise that differs from frame to frame");
    app.add_option("--window,--window-frames", window_, windowHelp());
    app.add_option("--frames", frames_,
                   "FIRST:LAST, both included and counted from 0; either can be left out");
    app.add_flag(
        "--lagrangian", lagrangian_,
        "Also write lagrangian_%04d, the motion from the first frame to frame t, which takes two "
        "to three times as long. With the reference previous it is estimated between these two "
        "frames, starting from the composed pairs, because errors of pairs add up: one more "
        "estimation per frame on the finest levels. clg, ffd and unbiased also estimate it from "
        "rest and keep the result that leaves the smaller difference between the frames");
    app.add_flag(
        "--close-cycle", closeCycle_,
        "Also estimate the motion from the last frame to the first, with every reference. It is "
        "written as the first frame's displacement; with --lagrangian the motion that remains "
        "after the cycle is written, too, and with --tissue it is measured in the tissue");
    app.add_flag("--certainty", certainty_,
                 "Also write standard_error_%04d, how far each displacement may be wrong: "
                 "standard errors in mm along the three axes of the grid. Only for clg; computed "
                 "on the CPU, which takes a few times as long as the motion");
    addChoice(app, "--format", format_, {"mha", "nii.gz"},
              "File format of the fields (LPS mm): MetaImage, or NIfTI with intent 1007");
    addFrameTime(app, frameTimeMilliseconds_);
    app.add_option("--devices", devices_,
                   "all, or numbers such as 0,1: estimate the motion from frame to frame on these "
                   "GPUs at the same time, in chains of pairs (--chain). The fields do not depend "
                   "on the number of GPUs. Only with --reference previous");
    app.add_option("--chain", chain_,
                   fmt::format("Number of pairs in a chain, in which each pair starts from the "
                               "motion of the one before; the first pair starts from zero. "
                               "Default: all, with --devices {}",
                               chainOnDevices))
        ->check(CLI::PositiveNumber);
    app.add_option(
        "--trace", trace_,
        "Write when each stage and kernel ran to this file, as a Chrome trace (JSON) for "
        "Perfetto or chrome://tracing");
    addRepeatable(app, "--stage", stages_, stageHelp());
    addVolumeOptions(app);
    options_.addParametersTo(app);
}

void MotionCommand::addVolumeOptions(CLI::App& app) {
    const OptionGroup group(app, "Where volume is preserved");
    app.add_option("--incompressibility", incompressibility_,
                   "3D file on the grid of the sequence: how much volume is preserved at each "
                   "voxel, from 0 (not at all) to 1 (fully)");
    app.add_option("--tissue", tissue_,
                   "3D label map on the grid of the sequence: volume is preserved only in tissue, "
                   "with a soft edge of half a voxel. Instead of --incompressibility; needs "
                   "--beta, or --lagrangian --close-cycle, which measure the motion that remains "
                   "in the tissue")
        ->excludes("--incompressibility");
    app.add_option("--tissue-label", tissueLabel_,
                   "The label of tissue in the label map. Not needed for labels of the phantom (1, "
                   "the wall), for files named as in ACDC (patient*_frame*_gt: 2, the myocardium), "
                   "and for maps of a single label")
        ->check(inRange(1, 65535))
        ->needs("--tissue");
}

MotionJob MotionCommand::makeJob() const {
    const MotionMethod& method = options_.method();
    ParamSet parameters = options_.values();
    MotionJob job{.inputs = files_,
                  .sequence = openSequence(files_, {.frameTimeMilliseconds = frameTimeMilliseconds_,
                                                    .acceptUnknown = true}),
                  .method = &method,
                  .preset = options_.preset,
                  .parameters = std::move(parameters),
                  .backend = options_.backendOf(method)};
    std::tie(job.firstFrame, job.lastFrame) =
        parseRange("--frames", frames_, "motion", job.sequence);
    job.reference = reference_ == "previous" ? ReferenceMode::Previous : ReferenceMode::First;
    job.window = windowOf(reference_, window_);
    job.chain = std::min(chain_ == 0 && !devices_.empty() ? chainOnDevices : chain_,
                         job.lastFrame - job.firstFrame);
    if (job.chain > 0 && reference_ != "previous")
        throw UsageError("--devices and --chain apply to motion from frame to frame: they need "
                         "--reference previous");
    if (!devices_.empty() && job.backend.backend != Backend::Cuda)
        throw UsageError(fmt::format("--devices: needs CUDA devices; the backend is {} ({})",
                                     systole::name(job.backend.backend), job.backend.reason));
    if (!devices_.empty())
        job.backend.device = chosenDevices(devices_).front();
    job.lagrangian = lagrangian_;
    job.closeCycle = closeCycle_;
    job.certainty = certainty_;
    if (certainty_ && !errorsOf(method, job.parameters))
        throw UsageError("--certainty: " + estimatesNoErrors(method));
    job.incompressibilityFile = tissue_.empty() ? incompressibility_ : tissue_;
    try {
        chosenStages(stages_);
    } catch (const ComputeError& error) {
        throw UsageError(fmt::format("--stage: {}", error.what()));
    }
    job.stages = stages_;
    job.trace = trace_;
    job.format = format_ == "mha" ? FieldFormat::MetaImage : FieldFormat::Nifti;
    return job;
}

void MotionCommand::printBegin(const MotionJob& job) const {
    for (const std::string& note : job.sequence.notes)
        fmt::print("note: {}\n", note);
    std::vector<std::string> ignored;
    if (!job.device && !options_.variants.empty())
        ignored.emplace_back("--variant");
    for (const ParamRow& row : job.method->parameters->rows())
        if (!job.device && row.cudaOnly && options_.isGiven(row.id))
            ignored.push_back("--" + row.id);
    if (!ignored.empty())
        fmt::print("note: only CUDA uses {}; the backend is {}\n", fmt::join(ignored, ", "),
                   systole::name(job.backend.backend));
}

void MotionCommand::checkTrace(const MotionJob& job) const {
    if (trace_.empty())
        return;
    std::vector<std::string> inputs = files_;
    if (!job.incompressibilityFile.empty())
        inputs.push_back(job.incompressibilityFile);
    overwrite_.checkAll({trace_}, inputs);
    std::vector<std::string> own = fieldFiles(job);
    own.insert(own.end(), {motionFolderKind().recordName, motionFolderKind().unfinishedName()});
    for (const std::string& name : own)
        if (targetOf(trace_) == targetOf((std::filesystem::path(folder_) / name).string()))
            throw UsageError(fmt::format("--trace: {} is a file of the results", trace_));
}

void MotionCommand::readIncompressibility(MotionJob& job, const ExecContext& ctx) const {
    if (job.incompressibilityFile.empty())
        return;
    const char* const option = tissue_.empty() ? "--incompressibility" : "--tissue";
    const std::string& weighted = job.method->weightParameter;
    const bool weighs = !weighted.empty() && job.parameters.real(weighted) > 0;
    // The residual motion of the tissue after a cycle is measured even if the method doesn't use
    // the weights.
    const bool measures = !tissue_.empty() && lagrangian_ && closeCycle_;
    if (!measures && weighted.empty())
        throw UsageError(
            fmt::format("{}: the method {} doesn't use such a map", option, job.method->name));
    if (!measures && !weighs)
        throw UsageError(fmt::format("{} needs --{} above 0{}", option, weighted,
                                     tissue_.empty() ? "" : ", or --lagrangian --close-cycle"));
    if (tissue_.empty()) {
        job.incompressibility = readWeights(incompressibility_, job.sequence.geometry, *ctx.pool);
        return;
    }
    const TissueWeight tissue =
        readTissue(tissue_, tissueLabel_ > 0 ? std::optional(tissueLabel_) : std::nullopt,
                   job.sequence.geometry, ctx);
    job.tissue = tissue.weight;
    if (weighs)
        job.incompressibility = tissue.weight;
    job.tissueLabel = tissue.label;
    job.sequence.notes.insert(job.sequence.notes.end(), tissue.notes.begin(), tissue.notes.end());
}

void MotionCommand::openDevices(MotionJob& job) const {
    if (!shared_) {
        job.device = openDevice(job.backend);
        return openWorkers(job);
    }
    job.device = shared_->open(job.backend, sharedDevice_);
    job.turn = job.device ? &shared_->turnOn(sharedDevice_) : nullptr;
}

void MotionCommand::openWorkers(MotionJob& job) const {
    if (job.chain == 0)
        return;
    const auto open = [&](int device) {
        BackendChoice choice = job.backend;
        choice.device = device;
        choice.mayChange = false; // SpreadPairs has no other
        return openDevice(choice);
    };
    if (devices_.empty())
        job.workers = {job.device ? open(job.backend.device) : nullptr};
    else
        for (const int device : chosenDevices(devices_))
            job.workers.push_back(open(device));
}

int MotionCommand::run() {
    CommandWork work(options_.threads);
    MotionJob job = makeJob();
    readIncompressibility(job, work.context());
    openDevices(job);
    std::string tuningProblem;
    if (job.device && !options_.noAutotune)
        job.blockSizes =
            usableBlockSizes(readAutotuneFile(autotuneFile(), tuningProblem),
                             tunedDevice(job.device->device()), job.sequence.geometry.voxels());
    RunFolder folder(folder_, motionFolderKind(), fieldFiles(job), overwrite_.given());
    checkTrace(job);

    printBegin(job);
    if (!tuningProblem.empty())
        fmt::print("note: {}; kernels run with their default block sizes\n", tuningProblem);
    fmt::print("{}: {} frames, method {}, preset {}, backend {} ({}){}\n", job.sequence.name,
               job.sequence.frames, job.method->name, job.preset,
               systole::name(job.backend.backend), job.backend.reason,
               job.device ? fmt::format(", device {}", job.device->device().name) : std::string{});
    std::fflush(stdout);

    const MotionRecord record = work.run([&](ExecContext ctx) {
        KernelProfile profile;
        ctx.profile = &profile;
        ctx.profileKernels = !job.trace.empty();
        ctx.blockSizes = &job.blockSizes;
        MotionRecord made = runMotion(job, ctx, folder);
        ctx.throwIfCancelled();
        checkTrace(job);
        overwrite_.writeText(job.trace, chromeTrace(made.profiles));
        folder.finish(motionRecord(job, made, work.threads()));
        return made;
    });
    fmt::print("wrote {} and {} to {} in {:.1f} s\n", plural(std::ssize(record.fields), "field"),
               motionFolderKind().recordName, folder_, record.seconds);
    printReplaced(folder);
    if (!record.fallback.empty())
        fmt::print("note: {}\n", record.fallback);
    printFolds(record);
    printErrors(record, job.tissue ? "tissue" : "voxels");
    if (!record.residualWarning.empty())
        fmt::print(stderr, "systole: warning: {}\n", record.residualWarning);
    for (const std::string& doubt : record.doubts)
        fmt::print(stderr, "systole: warning: {}\n", doubt);
    printCycle(record);
    return 0;
}

} // namespace

std::unique_ptr<Command> makeMotionCommand() { return std::make_unique<MotionCommand>(); }
std::unique_ptr<Command> makeSharedMotionCommand(SharedDevices& devices, int device) {
    return std::make_unique<MotionCommand>(&devices, device);
}

} // namespace systole
