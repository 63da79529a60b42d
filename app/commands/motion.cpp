#include "app/commands/motion.h"

#include "app/commands/interrupt.h"
#include "app/commands/motion_run.h"
#include "app/commands/progress.h"
#include "app/commands/run_folder.h"
#include "app/commands/variant_option.h"
#include "app/error.h"
#include "app/tuning/autotune_file.h"
#include "compute/core/error.h"
#include "compute/core/machine.h"
#include "compute/motion/frame_stages.h"
#include "compute/motion/methods.h"
#include "io/error.h"
#include "io/source.h"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <tuple>

namespace systole {
namespace {

/// The presets of all methods, without duplicates.
std::vector<std::string> presetNames() {
    std::vector<std::string> names;
    for (const MotionMethod& method : motionMethods())
        for (const std::string& preset : method.parameters->presets())
            if (std::find(names.begin(), names.end(), preset) == names.end())
                names.push_back(preset);
    return names;
}

const char* typeText(ParamType type) {
    switch (type) {
    case ParamType::Real:
        return "NUMBER";
    case ParamType::Integer:
        return "WHOLE";
    case ParamType::Switch:
        return "on|off";
    case ParamType::Choice:
        break;
    }
    return "NAME";
}

std::string rowHelp(const ParamRow& row, const ParamSet& defaults) {
    std::string range;
    if (row.type == ParamType::Choice)
        range = fmt::format("{}", fmt::join(row.choices, ", "));
    else if (row.type != ParamType::Switch)
        range = fmt::format("{} to {}{}{}", row.minimum, row.maximum, row.unit.empty() ? "" : " ",
                            row.unit);
    return fmt::format("{} [{}{}{}]", row.help, range, range.empty() ? "" : "; ",
                       "preset default: " + defaults.text(row.id));
}

std::string stageHelp() {
    std::string text = "What is done with each finished field, its figures into run.json: NAME or "
                       "NAME:ID=VALUE,ID=VALUE; can be given more than once.";
    for (const FrameStage& stage : availableStages()) {
        text += fmt::format(" {}: {}", stage.name, stage.title);
        const ParamSet defaults(*stage.parameters);
        for (const ParamRow& row : stage.parameters->rows())
            text += fmt::format("; {}: {}", row.id, rowHelp(row, defaults));
    }
    return text;
}

/// Parses "A:B", both ends included and either optional.
std::pair<int, int> parseRange(const std::string& text, const Sequence& sequence) {
    int first = 0;
    int last = sequence.frames - 1;
    const auto parse = [](std::string_view part, int& number) {
        const auto result = std::from_chars(part.data(), part.data() + part.size(), number);
        return part.empty() ||
               (result.ec == std::errc{} && result.ptr == part.data() + part.size());
    };
    const auto colon = text.find(':');
    const bool wellFormed =
        text.empty() ||
        (colon != std::string::npos && parse(std::string_view(text).substr(0, colon), first) &&
         parse(std::string_view(text).substr(colon + 1), last));
    if (!wellFormed)
        throw UsageError(fmt::format("--frames: '{}' is not of the form FIRST:LAST", text));
    if (sequence.frames < 2)
        throw UsageError(
            fmt::format("motion needs two or more frames; {} has only one", sequence.name));
    if (first < 0 || last >= sequence.frames || first >= last)
        throw UsageError(fmt::format(
            "--frames: motion needs two or more frames of 0:{}, but {}:{} was asked of {}",
            sequence.frames - 1, first, last, sequence.name));
    return {first, last};
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

} // namespace

void MotionCommand::addOptions(CLI::App& app) {
    method_ = motionMethodNames().front();
    app.add_option("FILE", files_,
                   "One 4D file, one 3D file per frame in their order, or a DICOM folder")
        ->required();
    app.add_option("-o,--output", folder_,
                   "Folder for the fields, created if necessary. run.json is written last: its "
                   "presence means that the run is complete")
        ->required();
    app.add_option("--backend", backend_,
                   "Backend; auto uses CUDA if available, else the CPU, and reports its choice")
        ->check(CLI::IsMember(backendNames()))
        ->capture_default_str();
    app.add_option("--method", method_, "Motion estimation method")
        ->check(CLI::IsMember(motionMethodNames()))
        ->capture_default_str();
    app.add_option("--preset", preset_, "Preset of the method's parameters")
        ->check(CLI::IsMember(presetNames()))
        ->capture_default_str();
    app.add_option("--reference", reference_,
                   "The fixed frame of moving frame t: the previous one, t-1, or the first one")
        ->check(CLI::IsMember({"previous", "first"}))
        ->capture_default_str();
    app.add_option("--frames", frames_,
                   "FIRST:LAST, both included and counted from 0; either can be left out");
    app.add_flag("--lagrangian", lagrangian_,
                 "Also write lagrangian_%04d, the motion from the first frame to frame t");
    app.add_flag("--close-cycle", closeCycle_,
                 "Also estimate the pair from the last frame to the first, written as the first "
                 "frame's displacement; with --lagrangian also what remains after the cycle");
    app.add_option(
        "--incompressibility", incompressibility_,
        "3D file on the grid of the sequence: where volume is kept, 0 nowhere to 1 fully");
    app.add_option("--format", format_,
                   "mha: MetaImage; nii.gz: NIfTI with intent 1007. Vectors are LPS millimeters")
        ->check(CLI::IsMember({"mha", "nii.gz"}))
        ->capture_default_str();
    app.add_option("--frame-time", frameTimeMilliseconds_,
                   "Milliseconds per frame, if the file has no times or wrong ones")
        ->check(CLI::PositiveNumber);
    app.add_option("--threads", threads_, "Number of threads; 0: all hardware threads")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    app.add_option(
        "--trace", trace_,
        "Write when each stage and kernel ran to this file, as a Chrome trace (JSON) for "
        "Perfetto or chrome://tracing");
    app.add_option("--variant", variants_, variantOptionHelp)->allow_extra_args(false);
    app.add_option("--stage", stages_, stageHelp())->allow_extra_args(false);
    app.add_flag("--no-autotune", noAutotune_, noAutotuneHelp);
    addParameters(app);
}

/// A parameter of one method is listed under that method; one that several methods share is one
/// option, with the description from each method.
void MotionCommand::addParameters(CLI::App& app) {
    std::map<std::string, std::vector<const MotionMethod*>> methodsOf;
    for (const MotionMethod& method : motionMethods())
        for (const ParamRow& row : method.parameters->rows())
            methodsOf[row.id].push_back(&method);
    for (const MotionMethod& method : motionMethods())
        for (const ParamRow& row : method.parameters->rows()) {
            const std::vector<const MotionMethod*>& methods = methodsOf.at(row.id);
            if (methods.front() != &method)
                continue;
            std::string help;
            for (const MotionMethod* one : methods) {
                const ParamSet defaults(*one->parameters, "default");
                help += (methods.size() > 1 ? (help.empty() ? "" : " ") + one->name + ": " : "") +
                        rowHelp(one->parameters->row(row.id), defaults);
            }
            app.add_option("--" + row.id, parameters_[row.id], help)
                ->type_name(typeText(row.type))
                ->group(methods.size() > 1
                            ? std::string("Parameters of several methods")
                            : fmt::format("Parameters of the method {}", method.name));
        }
}

MotionJob MotionCommand::makeJob() const {
    const MotionMethod& method = motionMethod(method_);
    ParamSet parameters = [&] {
        try {
            ParamSet set(*method.parameters, preset_);
            for (const auto& [id, text] : parameters_)
                if (!text.empty())
                    set.setText(id, text);
            for (const std::string& variant : variants_)
                setVariant(set, variant);
            return set;
        } catch (const ComputeError& error) {
            throw UsageError(fmt::format("--{}", error.what()));
        }
    }();
    OpenOptions options;
    options.frameTimeMilliseconds = frameTimeMilliseconds_;
    MotionJob job{.inputs = files_,
                  .sequence = openSequence(files_, options),
                  .method = &method,
                  .preset = preset_,
                  .parameters = std::move(parameters),
                  .backend = chooseBackend(backend_, method)};
    std::tie(job.firstFrame, job.lastFrame) = parseRange(frames_, job.sequence);
    job.reference = reference_ == "first" ? ReferenceMode::First : ReferenceMode::Previous;
    job.lagrangian = lagrangian_;
    job.closeCycle = closeCycle_;
    if (job.closeCycle && job.reference == ReferenceMode::First)
        throw UsageError("--close-cycle goes with --reference previous: against the first frame "
                         "there is no cycle to close");
    job.incompressibilityFile = incompressibility_;
    try {
        chosenStages(stages_);
    } catch (const ComputeError& error) {
        throw UsageError(fmt::format("--stage: {}", error.what()));
    }
    job.stages = stages_;
    job.folder = folder_;
    job.trace = trace_;
    job.format = format_ == "mha" ? FieldFormat::MetaImage : FieldFormat::Nifti;
    return job;
}

int MotionCommand::run() {
    CancelToken cancel;
    const InterruptWatch watch([cancel]() mutable { cancel.cancel(); },
                               [this] { removePartialFiles(folder_); });

    MotionJob job = makeJob();
    // The last tenth of the memory is left to the rest of the system.
    ExecResources resources(threads_, describeMachine().availableBytes / 10 * 9);
    if (const std::string& weighted = job.method->weightParameter; !incompressibility_.empty()) {
        if (weighted.empty())
            throw UsageError(fmt::format(
                "--incompressibility: the method {} doesn't use such a map", job.method->name));
        if (!(job.parameters.real(weighted) > 0))
            throw UsageError(fmt::format(
                "--incompressibility: the map weighs the term of --{}, which is 0 here", weighted));
    }
    if (!incompressibility_.empty())
        job.incompressibility =
            readWeights(incompressibility_, job.sequence.geometry, resources.pool());
    job.device = openDevice(job.backend);
    std::string tuningProblem;
    if (job.device && !noAutotune_)
        job.blockSizes =
            usableBlockSizes(readAutotuneFile(autotuneFile(), tuningProblem),
                             tunedDevice(job.device->device()), job.sequence.geometry.voxels());
    beginRunFolder(folder_, motionRecordName);

    for (const std::string& note : job.sequence.notes)
        fmt::print("note: {}\n", note);
    if (!tuningProblem.empty())
        fmt::print("note: {}; kernels run in blocks of their standard size\n", tuningProblem);
    fmt::print("{}: {} frames, method {}, preset {}, backend {} ({}){}\n", job.sequence.name,
               job.sequence.frames, job.method->name, job.preset,
               systole::name(job.backend.backend), job.backend.reason,
               job.device ? fmt::format(", device {}", job.device->device().name) : std::string{});
    std::fflush(stdout);

    ExecContext ctx = resources.context();
    KernelProfile profile;
    ctx.profile = &profile;
    ctx.profileKernels = !job.trace.empty();
    ctx.blockSizes = &job.blockSizes;
    ctx.cancel = cancel;
    MotionRecord record;
    {
        ProgressBar bar;
        ctx.progress = [&bar](const std::string& phase, double fraction) {
            bar.update(phase, fraction);
        };
        record = runMotion(job, ctx);
        ctx.throwIfCancelled();
        if (!job.trace.empty())
            writeTextAtomically(job.trace, chromeTrace(record.profiles));
        writeMotionRecord(job, record, resources.threads().threads());
    }
    fmt::print("wrote {} field{} and {} to {} in {:.1f} s\n", record.fields.size(),
               record.fields.size() == 1 ? "" : "s", motionRecordName, folder_, record.seconds);
    if (!record.fallback.empty())
        fmt::print("note: {}\n", record.fallback);
    if (record.cycleResidual)
        fmt::print(
            "after the cycle points are {:.3f} mm from their start in the mean, {:.3f} mm at "
            "most in 95 % of the voxels\n",
            record.cycleResidual->mean, record.cycleResidual->percentile95);
    return 0;
}

} // namespace systole
