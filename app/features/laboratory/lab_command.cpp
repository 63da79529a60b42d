#include "app/features/laboratory/lab_command.h"

#include "app/base/error.h"
#include "app/base/units.h"
#include "app/cli/common_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/lesson_number.h"
#include "app/cli/option_forms.h"
#include "app/cli/progress.h"
#include "app/features/laboratory/table.h"
#include "compute/core/error.h"
#include "compute/core/exec.h"
#include "io/base/error.h"
#include "io/formats/writer.h"

#ifdef SYSTOLE_VIEWER
#include "app/features/laboratory/lab_picture.h"
#endif

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>

namespace systole {
namespace {

std::string sizesText(const std::vector<int>& sizes) {
    return sizes.size() == 1 ? fmt::format("{}", sizes.front())
                             : fmt::format("{} … {}", sizes.front(), sizes.back());
}

/// The block sizes as text for a sentence.
std::string takenText(const std::vector<int>& sizes) {
    const int step = sizes.size() > 1 ? sizes[1] - sizes[0] : 0;
    return sizes.size() == 1
               ? fmt::format("{}", sizes.front())
               : fmt::format("multiples of {} from {} to {}", step, sizes.front(), sizes.back());
}

/// Path of the lesson's page, or its name if the pages aren't installed.
std::string pageOf(const Lesson& lesson) {
    try {
        return lessonPath(lesson).string();
    } catch (const FileError&) {
        return "docs/lessons/" + lesson.file;
    }
}

} // namespace

void LabCommand::addOptions(CLI::App& app) {
    const std::vector<CLI::Option*> sweep = addSweep(app);
    CLI::Option* const gpu =
        app.add_option("--gpu", gpu_,
                       "Use another GPU, by name (see --gpus): its recorded measurements if "
                       "installed, else predictions from its data sheet");
    app.add_flag("--catalogue", catalogue_, "Use only --gpu's data sheet, even if a record exists")
        ->needs(gpu);
    CLI::Option* const profile =
        app.add_option("--profile", profile_,
                       "Use a file written by --measure or --record instead of this machine's "
                       "device; installed records are selected by name, e.g. --gpu H100")
            ->excludes(gpu);
    std::vector<CLI::Option*> named{
        gpu, profile, app.add_option("--csv", csv_, "Write the answer to this file as CSV"),
        addJsonFile(app, json_, ", which holds the answer")};
#ifdef SYSTOLE_VIEWER
    named.push_back(
        app.add_option("--png", png_, "Write the plots of the answer to this PNG file"));
#endif
    overwrite_.addTo(app);
    app.add_flag("--list", listKernels_, "List the kernels");
    app.add_flag("--gpus", listGpus_, "List the available GPUs");
    app.add_flag("--lessons", listLessons_, "List the lessons");
    CLI::Option* const lesson =
        app.add_option("--lesson", lesson_,
                       "Run the experiment of this lesson (from 1) and summarize the result")
            ->check(lessonNumber());
    app.add_flag("--all", allRows_, "Print every row of a lesson's table")->needs(lesson);
    for (CLI::Option* own : sweep)
        lesson->excludes(own); // set by its experiment
    app.add_flag("--evaluate", evaluate_,
                 "Errors of the models and the blocks that they choose, one line per kernel");
    for (CLI::Option* here : addMeasurements(app, named)) {
        here->excludes(gpu);
        here->excludes(profile);
    }
    const auto needsName = [](std::string& text) {
        return text.empty() ? std::string("expected a name, found none") : std::string();
    };
    for (CLI::Option* each : named)
        each->check(CLI::Validator(needsName, ""));
}

/// Adds the options of a sweep. Returns them: a lesson sets them itself.
std::vector<CLI::Option*> LabCommand::addSweep(CLI::App& app) {
    return {
        addList(app, "--kernel", kernels_,
                "Kernels by name (jacobi/direct) or task (jacobi: all of its variants), separated "
                "by commas; see --list"),
        addChoice(app, "--axis", axis_, {"block", "side", "padding"},
                  "Axis of the sweep: block size, side, or padding (unused shared memory, which "
                  "lowers the occupancy)"),
        addNumber(app, "--side", side_, 8, 1024, "Voxels along each side of the cube"),
        addList(app, "--sides", sides_, "Sides for --axis side and --record, separated by commas")
            ->check(inRange(8, 1024)),
        app.add_option("--block", block_,
                       "Threads per block if --axis isn't block; default: the kernel's default "
                       "block size")
            ->check(inRange(32, 1024)),
        app.add_flag("--with-transfers", withTransfers_,
                     "Times of a call that copies its data from and to the host")};
}

/// Adds the options for measurements on this machine's device. Returns the tasks, and adds options
/// that need a file name to `named`.
std::vector<CLI::Option*> LabCommand::addMeasurements(CLI::App& app,
                                                      std::vector<CLI::Option*>& named) {
    CLI::Option* const measure = app.add_flag("--measure", measure_,
                                              "Measure this machine's latencies and bandwidths for "
                                              "the models and store them");
    CLI::Option* const output =
        app.add_option("-o,--output", output_,
                       "File for the profile of --measure; default: a folder of the user")
            ->needs(measure);
    CLI::Option* const record =
        app.add_option("--record", record_,
                       "Measure all kernels and block sizes on this machine into this file, for "
                       "--profile on any machine; with --kernel only these, which replace those "
                       "of an existing file (--overwrite)");
    addNumber(app, "--record-seconds", recordSeconds_, 1, 1e5,
              "Omit block sizes of slow kernels to finish in about this time")
        ->needs(record);
    named.insert(named.end(), {output, record});
    return {measure, record,
            app.add_flag("--autotune", autotune_,
                         "Find the best block sizes of this machine's device at --side and store "
                         "them")};
}

int LabCommand::run() {
    const int asked = listKernels_ + listGpus_ + listLessons_ + evaluate_ + measure_ + autotune_ +
                      (lesson_ != 0) + !record_.empty();
    if (asked > 1)
        throw UsageError("--list, --gpus, --lessons, --lesson, --evaluate, --measure, --record and "
                         "--autotune can't be combined");
    const bool answers = asked == 0 || evaluate_ || lesson_ != 0;
    if (!answers && !(csv_.empty() && json_.empty() && png_.empty()))
        throw UsageError("--csv, --json and --png write the answer of a sweep, of --lesson or of "
                         "--evaluate");
    if (!png_.empty())
        requirePngName(png_, "--png");
    const bool overAnAxis = asked == 0;
    if (block_ > 0 && !(overAnAxis && axis_ != "block"))
        throw UsageError(
            "--block requires --axis side or --axis padding; other questions sweep over all "
            "block sizes");
    if (!sides_.empty() && axis_ != "side" && record_.empty())
        throw UsageError("--sides requires --axis side or --record; other sweeps have one side, "
                         "--side");
    if (listKernels_)
        return listKernels();
    if (listGpus_)
        return listGpus();
    if (listLessons_)
        return listLessons();

    checkOutputs();
    CancelToken cancel;
    const InterruptWatch watch([&] { cancel.cancel(); });
    ProgressBar bar;
    const Progress progress = [&](const std::string& what, double part) {
        if (cancel.cancelled())
            throw Cancelled();
        bar.update(what, part);
    };
    return measure_           ? measure(progress)
           : !record_.empty() ? record(progress)
           : autotune_        ? autotune(progress)
                              : answer(progress);
}

void LabCommand::checkOutputs() const {
    overwrite_.checkAll({csv_, json_, png_, output_, record_}, {profile_});
}

std::vector<const lab::LabKernel*> LabCommand::chosenKernels() const {
    std::vector<const lab::LabKernel*> chosen;
    for (const std::string& name : kernels_) {
        std::vector<const lab::LabKernel*> found = lab::variantsOf(name);
        for (const lab::LabKernel& kernel : lab::labKernels())
            if (kernel.name() == name)
                found.push_back(&kernel);
        if (found.empty())
            throw UsageError(fmt::format("there is no kernel '{}'; the tasks are {} "
                                         "('systole lab --list' lists their variants)",
                                         name, fmt::join(lab::labTasks(), ", ")));
        chosen.insert(chosen.end(), found.begin(), found.end());
    }
    return chosen;
}

lab::LabQuestion LabCommand::question() const {
    if (lesson_ != 0)
        return kernelExperiment(lesson(lesson_));
    lab::LabQuestion question;
    const std::vector<const lab::LabKernel*> chosen = chosenKernels();
    if (!chosen.empty())
        question.kernels.clear();
    for (const lab::LabKernel* kernel : chosen)
        question.kernels.push_back(kernel->name());
    if (evaluate_ && chosen.empty()) {
        question.kernels.clear();
        for (const lab::LabKernel& kernel : lab::labKernels())
            question.kernels.push_back(kernel.name());
    }
    question.axis = axis_ == "side"      ? lab::LabAxis::Side
                    : axis_ == "padding" ? lab::LabAxis::Padding
                                         : lab::LabAxis::BlockSize;
    if (evaluate_ && question.axis != lab::LabAxis::BlockSize)
        throw UsageError("--evaluate sweeps over block sizes");
    for (const std::string& name : question.kernels)
        if (const lab::LabKernel& kernel = lab::labKernel(name);
            block_ > 0 && !kernel.takes(block_))
            throw UsageError(fmt::format("{} doesn't support blocks of {} threads, only {}", name,
                                         block_, takenText(kernel.blockSizes)));
    question.side = side_;
    question.sides = sides_;
    question.threads = block_;
    question.withTransfers = withTransfers_;
    return question;
}

LabChoice LabCommand::choice() const {
    if (!gpu_.empty())
        return catalogue_ ? catalogueChoice(gpu_) : gpuChoice(gpu_);
    if (!profile_.empty())
        return recordChoice(profile_);
    return defaultLabChoice();
}

int LabCommand::answer(const Progress& progress) const {
    const lab::LabQuestion asked = question();
    const LabChoice gpu = choice();
    const Lesson* const chosen = lesson_ != 0 ? &lesson(lesson_) : nullptr;
    if (chosen) {
        fmt::print("Lesson {}: {}\n{}\n\n", chosen->number, chosen->title, chosen->question);
        std::fflush(stdout); // measuring takes a while
    }
    std::unique_ptr<CudaContext> cuda;
    if (gpu.origin == LabOrigin::Device)
        cuda = std::make_unique<CudaContext>();
    const std::unique_ptr<lab::LabSource> source = openLabSource(gpu, cuda.get());
    const lab::LabAnswer answer =
        lab::ask(asked, *source, [&](double part) { progress("measuring", part); });
    if (chosen) {
        fmt::print("{}\nQuestion: {}\nAnswer: {}\nSource: {}\nPage: {}\n",
                   tableOf(answer, allRows_ ? TableRows::All : TableRows::Few), chosen->question,
                   plainSpaces(chosen->headline(answer)), answer.source, pageOf(*chosen));
    } else {
        fmt::print("{}", evaluate_ ? evaluationOf(answer) : tableOf(answer));
    }
    checkOutputs();
    overwrite_.writeText(csv_, lab::toCsv(answer));
    overwrite_.writeText(json_, lab::toJson(answer));
#ifdef SYSTOLE_VIEWER
    overwrite_.write(png_, [&](const std::string& path) { writeLaboratoryPicture(answer, path); });
#endif
    return 0;
}

int LabCommand::listKernels() const {
    for (const lab::LabKernel& kernel : lab::labKernels())
        fmt::print("{:<32} blocks {:<11} default {:>4}  {}\n", kernel.name(),
                   sizesText(kernel.blockSizes), kernel.standardBlock, kernel.summary);
    return 0;
}

int LabCommand::listGpus() const {
    const std::vector<model::GpuMachine> catalogue = gpuCatalogue();
    for (const LabChoice& choice : labChoices())
        if (choice.origin != LabOrigin::Catalogue)
            fmt::print("{}{}\n", choice.label(),
                       choice.file.empty() ? ""
                                           : fmt::format(": --gpu '{}' or --profile {}",
                                                         choice.name, choice.file.string()));
    fmt::print(
        "catalogue entries for --gpu (a record above takes precedence without --catalogue):\n");
    fmt::print("{:<17} {:<14} {:>10} {:>5} {:>8} {:>9} {:>9} {:>8} {:>9}\n", "name", "generation",
               "capability", "SMs", "MHz", "TFLOP/s", "GB/s", "L2 MiB", "memory");
    for (const model::GpuMachine& gpu : catalogue)
        fmt::print("{:<17} {:<14} {:>10} {:>5} {:>8.0f} {:>9.1f} {:>9.0f} {:>8.4g} {:>5.0f} GiB\n",
                   gpu.name, gpu.architecture,
                   fmt::format("{}.{}", gpu.computeCapability / 10, gpu.computeCapability % 10),
                   gpu.multiprocessors, gpu.clockHertz / 1e6, gpu.peakFlops() / 1e12,
                   gpu.memoryBandwidth / 1e9, static_cast<double>(gpu.l2Bytes) / (1 << 20),
                   static_cast<double>(gpu.memoryBytes) / (1 << 30));
    return 0;
}

int LabCommand::listLessons() const {
    for (const Lesson& each : lessons())
        fmt::print("{:>2}  {}\n    {}\n", each.number, each.title, each.question);
    return 0;
}

std::unique_ptr<Command> makeLabCommand() { return std::make_unique<LabCommand>(); }

} // namespace systole
