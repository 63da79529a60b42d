#include "app/commands/lab.h"

#include "app/commands/interrupt.h"
#include "app/commands/lesson_number.h"
#include "app/commands/progress.h"
#include "app/error.h"
#include "app/lab/table.h"
#include "app/units.h"
#include "compute/core/error.h"
#include "compute/core/exec.h"
#include "io/error.h"
#include "io/writer.h"

#ifdef SYSTOLE_VIEWER
#include "app/panels/lab_picture.h"
#endif

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace systole {
namespace {

constexpr const char* axisNames[] = {"block", "side", "padding"};

std::string sizesText(const std::vector<int>& sizes) {
    return sizes.size() == 1 ? fmt::format("{}", sizes.front())
                             : fmt::format("{} … {}", sizes.front(), sizes.back());
}

/// In a sentence.
std::string takenText(const std::vector<int>& sizes) {
    const int step = sizes.size() > 1 ? sizes[1] - sizes[0] : 0;
    return sizes.size() == 1
               ? fmt::format("{} alone", sizes.front())
               : fmt::format("multiples of {} from {} to {}", step, sizes.front(), sizes.back());
}

/// Where to read on; where the pages didn't come along their names alone.
std::string pageOf(const Lesson& lesson) {
    try {
        return lessonPath(lesson).string();
    } catch (const FileError&) {
        return "docs/lessons/" + lesson.file;
    }
}

} // namespace

void LabCommand::addOptions(CLI::App& app) {
    auto* gpu =
        app.add_option("--gpu", gpu_,
                       "Another GPU in place of this machine's, by name (see --gpus): what was "
                       "recorded on it where a record came with the program, else predictions "
                       "from its data sheet");
    app.add_flag("--catalogue", catalogue_, "Of --gpu the data sheet alone, also beside a record")
        ->needs(gpu);
    auto* profile = app.add_option("--profile", profile_,
                                   "A file that --measure or --record wrote, in place of this "
                                   "machine's device; records that came with the program go by "
                                   "name, as --gpu H100");
    profile->excludes(gpu);
    auto* kernel =
        app.add_option("--kernel", kernels_,
                       "Kernels by name (jacobi/direct) or task (jacobi: all of its variants), "
                       "separated by commas; see --list")
            ->delimiter(',')
            ->allow_extra_args(false);
    auto* axis = app.add_option("--axis", axis_,
                                "What the sweep goes over: block size, side, or shared memory "
                                "that nobody uses (ballast), which lowers the occupancy")
                     ->check(CLI::IsMember(
                         std::vector<std::string>(std::begin(axisNames), std::end(axisNames))))
                     ->capture_default_str();
    auto* side = app.add_option("--side", side_, "Voxels along each side of the cube")
                     ->check(CLI::Range(8, 1024))
                     ->capture_default_str();
    auto* sides =
        app.add_option("--sides", sides_, "Sides for --axis side and --record, separated by commas")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->check(CLI::Range(8, 1024));
    auto* block =
        app.add_option("--block", block_,
                       "Threads of a block where the sweep goes over something else; the kernel's "
                       "standard when not given")
            ->check(CLI::Range(32, 1024));
    auto* transfers =
        app.add_flag("--with-transfers", withTransfers_,
                     "Times of a call whose data are brought from the host and taken back");
    std::vector<CLI::Option*> named{
        gpu, profile, app.add_option("--csv", csv_, "Write the answer to this file as a table"),
        app.add_option("--json", json_, "Write the answer to this file as JSON")};
#ifdef SYSTOLE_VIEWER
    named.push_back(
        app.add_option("--png", png_, "Write the answer to this file as a picture of its curves"));
#endif
    app.add_flag("--list", listKernels_, "List the kernels");
    app.add_flag("--gpus", listGpus_, "List the GPUs that can be asked");
    app.add_flag("--lessons", listLessons_, "List the lessons");
    auto* lesson = app.add_option("--lesson", lesson_,
                                  "The experiment of this lesson (from 1), and what it shows");
    lesson->check(lessonNumber());
    app.add_flag("--all", allRows_, "Every row of a lesson's table")->needs(lesson);
    for (CLI::Option* own : {kernel, axis, side, sides, block, transfers})
        lesson->excludes(own); // its experiment says
    app.add_flag("--evaluate", evaluate_,
                 "How well the models predict, and the blocks that they choose: one line a kernel");
    auto* measure = app.add_flag("--measure", measure_,
                                 "Measure this machine's latencies and bandwidths for the models "
                                 "and keep them");
    auto* output =
        app.add_option("-o,--output", output_,
                       "Where --measure keeps its profile; the user's own folder when not given")
            ->needs(measure);
    auto* record =
        app.add_option("--record", record_,
                       "Measure this machine, all kernels and block sizes, into this file, which "
                       "--profile takes on any machine");
    app.add_option("--record-seconds", recordSeconds_,
                   "Leave out block sizes of kernels that take long, to end in about this")
        ->needs(record)
        ->check(CLI::Range(1.0, 1e5))
        ->capture_default_str();
    auto* autotune =
        app.add_flag("--autotune", autotune_,
                     "Find the best block sizes of this machine's device at --side and "
                     "keep them");
    for (CLI::Option* here : {measure, record, autotune}) {
        here->excludes(gpu);
        here->excludes(profile);
    }
    named.insert(named.end(), {output, record});
    for (CLI::Option* each : named)
        each->check(CLI::Validator(
            [](std::string& text) {
                return text.empty() ? std::string("expected a name, found none") : std::string();
            },
            ""));
}

int LabCommand::run() {
    const int asked = listKernels_ + listGpus_ + listLessons_ + evaluate_ + measure_ + autotune_ +
                      (lesson_ != 0) + !record_.empty();
    if (asked > 1)
        throw UsageError("--list, --gpus, --lessons, --lesson, --evaluate, --measure, --record and "
                         "--autotune are asked one at a time");
    const bool answers = asked == 0 || evaluate_ || lesson_ != 0;
    if (!answers && !(csv_.empty() && json_.empty() && png_.empty()))
        throw UsageError("--csv, --json and --png write the answer of a sweep, of --lesson or of "
                         "--evaluate");
    if (!png_.empty() && std::filesystem::path(png_).extension() != ".png")
        throw UsageError(fmt::format("--png: expected a name that ends in .png, found '{}'", png_));
    const bool sweeps = asked == 0;
    if (block_ > 0 && !(sweeps && axis_ != "block"))
        throw UsageError("--block goes with --axis side or --axis ballast; other sweeps take every "
                         "block size");
    if (!sides_.empty() && axis_ != "side" && record_.empty())
        throw UsageError("--sides goes with --axis side or --record; --side is the one side of "
                         "other sweeps");
    if (listKernels_)
        return listKernels();
    if (listGpus_)
        return listGpus();
    if (listLessons_)
        return listLessons();

    CancelToken cancel;
    const InterruptWatch watch([&] { cancel.cancel(); }, [] {});
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

std::vector<const lab::LabKernel*> LabCommand::chosenKernels() const {
    std::vector<const lab::LabKernel*> chosen;
    for (const std::string& name : kernels_) {
        std::vector<const lab::LabKernel*> found = lab::variantsOf(name);
        for (const lab::LabKernel& kernel : lab::labKernels())
            if (kernel.name() == name)
                found.push_back(&kernel);
        if (found.empty())
            throw UsageError(fmt::format("there is no kernel '{}'; there are the tasks {} "
                                         "(`systole lab --list` says their variants)",
                                         name, fmt::join(lab::labTasks(), ", ")));
        chosen.insert(chosen.end(), found.begin(), found.end());
    }
    return chosen;
}

lab::LabQuestion LabCommand::question() const {
    if (lesson_ != 0)
        return lesson(lesson_).experiment;
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
                    : axis_ == "ballast" ? lab::LabAxis::Ballast
                                         : lab::LabAxis::BlockSize;
    if (evaluate_ && question.axis != lab::LabAxis::BlockSize)
        throw UsageError("--evaluate goes over block sizes");
    for (const std::string& name : question.kernels)
        if (const lab::LabKernel& kernel = lab::labKernel(name);
            block_ > 0 && !kernel.takes(block_))
            throw UsageError(fmt::format("{} doesn't take blocks of {} threads, but {}", name,
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
        std::fflush(stdout); // measuring takes its time
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
    if (!csv_.empty())
        writeTextAtomically(csv_, lab::toCsv(answer));
    if (!json_.empty())
        writeTextAtomically(json_, lab::toJson(answer));
#ifdef SYSTOLE_VIEWER
    if (!png_.empty())
        writeLaboratoryPicture(answer, png_);
#endif
    return 0;
}

int LabCommand::listKernels() const {
    for (const lab::LabKernel& kernel : lab::labKernels())
        fmt::print("{:<26} blocks {:<11} default {:>4}  {}\n", kernel.name(),
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

} // namespace systole
