// systole cohort: a study of many hearts, by the convention of BIDS Apps.
#include "app/base/error.h"
#include "app/base/lab_library.h"
#include "app/base/plural.h"
#include "app/cli/command.h"
#include "app/cli/command_work.h"
#include "app/cli/common_options.h"
#include "app/cli/method_options.h"
#include "app/cli/opened_images.h"
#include "app/cli/option_forms.h"
#include "app/cli/shared_devices.h"
#include "app/study/batch.h"
#include "app/study/bids_app_options.h"
#include "app/study/cohort_folder.h"
#include "app/study/cohort_report.h"
#include "app/study/device_lease.h"
#include "app/study/engine.h"
#include "app/study/expected_time.h"
#include "app/study/plan_text.h"
#include "app/task/backend.h"
#include "compute/motion/methods.h"
#include "io/base/text.h"
#include "io/base/written_hash.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace systole {
namespace {

const std::vector<std::string> levels{"participant", "group"};

class CohortCommand : public Command {
public:
    CohortCommand() : Command("cohort", "Motion, strain and a quality report of many hearts") {}
    void addOptions(CLI::App& app) override;
    void prepareHelp(CLI::App& app) override {
        describePresets(app, motionMethods(), settings_.method);
    }
    int run() override;

private:
    /// Runs the hidden calls of Snakemake and of batches; nothing: the user calls.
    std::optional<int> runPart() const;
    int runOneStep() const;
    void serve() const;
    void checkArguments() const;
    /// Reads what is to be done; OUTPUT stays as it is.
    CohortPlan planned();
    bool mayUseDevice() const;
    /// Adds expected durations and the earlier cases of OUTPUT to the plan.
    void addWhatIsThere(CohortPlan& plan) const;
    /// Takes OUTPUT, and writes the plan of the run there.
    void begin(CohortPlan& plan);
    /// Prints the plan for --plan, and writes it next to that of the last run if OUTPUT is
    /// writable.
    int show(CohortPlan& plan) const;
    void estimateCases(const CohortPlan& plan);
    /// Returns the exit code, which is `code` or worse: all was read again since.
    int report(const CohortPlan& plan, int code) const;
    /// Returns the exit code that follows from it.
    static int printUnread(const CohortPlan& plan);
    int printFailures(const CohortPlan& plan) const;

    std::string input_, output_, level_, step_, connections_;
    int batchNumber_ = -1; ///< none
    CohortSelection selection_;
    CohortSettings settings_;
    EngineOptions engine_{.jobs = 0, .slurm = false, .slurmWords = {}, .batch = 0, .batchCores = 0};
    bool withoutPictures_ = false;
    bool planOnly_ = false;
    std::optional<CohortLock> lock_; ///< held from the writing of the plan to the end
};

void CohortCommand::addOptions(CLI::App& app) {
    app.add_option(
           "INPUT", input_,
           "A BIDS data set, a folder of 4D images, or a table of cases (.csv, .tsv); its columns "
           "are file and, if wanted, id, session, labels, frames, seed, points, "
           "group and reference_MEASURE, where MEASURE is a column of phenotype/measures.tsv")
        ->required();
    app.add_option("OUTPUT", output_, "Folder for the results, created if necessary")->required();
    app.add_option("LEVEL", level_,
                   "participant: process the cases only, group: write tables and report only, for "
                   "all cases processed into OUTPUT so far. Default: both, in this order")
        ->check(oneOf(levels));
    addList(app, "--participant-label", selection_.participants,
            "Participants to take, default: all; with or without sub-")
        ->allow_extra_args();
    addList(app, "--session-label", selection_.sessions,
            "Sessions to take, default: all; with or without ses-")
        ->allow_extra_args();
    addChoice(app, "--method", settings_.method, motionMethodNames(), "Motion estimation method");
    addPreset(app, settings_.preset);
    addRepeatable(app, "--set", settings_.assignments,
                  "ID=VALUE: a parameter of the method; repeatable");
    addBackend(app, settings_.backend, DeviceNumbers::Refused,
               ". Steps share the GPUs of a computer by the memory that they are expected to take");
    addNumber(app, "--threads", settings_.threads, 1, 1024,
              fmt::format("{} of each step", threadsHelp));
    addNumber(app, "--jobs", engine_.jobs, 0, 100000,
              "Cores of this computer that Snakemake may use, 0: all; with --slurm jobs at a time, "
              "0: 100");
    app.add_flag("--slurm", engine_.slurm, "Run the cases as jobs of Slurm, one per case or batch");
    addRepeatable(app, "--slurm-option", engine_.slurmWords,
                  "An option for sbatch, such as --slurm-option=--partition=long; repeatable")
        ->needs("--slurm");
    addNumber(app, "--batch", engine_.batch, 0, 100000,
              "Cases that a job of Snakemake does; it does them in few processes, with one context "
              "per GPU for all of them, which is faster for small cases; 0: each step is a job and "
              "a process of its own");
    addNumber(
        app, "--batch-cores", engine_.batchCores, 0, 1024,
        "Cores per job of --batch. A job processes (cores / --threads) cases at a time; with a GPU "
        "up to twice as many if memory allows (with --slurm, request it, e.g. "
        "--slurm-option=--mem=64G). 0: as many as --jobs, or 4 with --slurm");
#ifdef SYSTOLE_VIEWER
    app.add_flag("--no-pictures", withoutPictures_, "Make no pictures");
#endif
    app.add_flag(
        "--certainty", settings_.certainty,
        "Also estimate standard errors of strain and of the wall's motion, for methods "
        "that estimate them (clg). Segments with large errors are hatched, and a case with "
        "large errors can be an outlier. Strain takes several times as long");
    addChoice(app, "--fields", settings_.fields, fieldChoices(),
              "Displacement fields to keep once a case is done. all: two per frame, 12 bytes per "
              "voxel each; first: only the motion since the first frame, which strain needs; none: "
              "no field. Removed fields are computed again when a step needs them");
    app.add_flag("--plan", planOnly_,
                 "Print all cases and their steps, including those that are done, without running "
                 "anything. The plan is also written to work/next_plan.json in OUTPUT, which is "
                 "created if necessary; other files there are not changed");
    addBidsAppOptions(app, engine_.jobs, settings_.threads);
    const OptionGroup group(app, "What Snakemake and batches call");
    app.add_option("--step", step_, "CASE/STEP: do this step of the last run; Snakemake calls it");
    app.add_option("--batch-number", batchNumber_, "Do this batch of cases; Snakemake calls it");
    app.add_option("--serve", connections_,
                   "File descriptors: do the steps asked for there; a batch calls it");
    app.footer("From a folder to results/report.html: 'systole cohort study results'. "
               "A case that fails doesn't stop the others; the report names it. Called again, only "
               "what is missing or has changed is done.\n");
}

int CohortCommand::runOneStep() const {
    const std::size_t slash = step_.find('/');
    if (slash == std::string::npos)
        throw UsageError("--step: expects CASE/STEP");
    return runStep(readPlan(output_), output_, step_.substr(0, slash), step_.substr(slash + 1)) ? 0
                                                                                                : 1;
}

/// The words of a command, done here; its exit code.
int runCommand(Command& command, std::vector<std::string> words) {
    CLI::App app;
    command.addOptions(app);
    words.erase(words.begin());  // its name
    std::ranges::reverse(words); // the library takes them from the back
    app.parse(std::move(words));
    return command.run();
}

void CohortCommand::serve() const {
    const InterruptWatch watch([] {}); // commands leave the signals to it
    const WrittenHashes hashes;
    SharedDevices devices;
    OpenedImages images;
    std::filesystem::current_path(output_);
    serveSteps(readPlan(output_), output_, connections_,
               [&](const std::vector<std::string>& words, const LeasableDevice* device) {
                   if (words.front() == "motion")
                       return runCommand(
                           *makeSharedMotionCommand(devices, device ? device->index : 0), words);
#ifdef SYSTOLE_VIEWER
                   if (words.front() == "snapshot")
                       return runCommand(*makeSharedSnapshotCommand(images), words);
#endif
                   const auto commands = makeCommands();
                   const auto named = std::ranges::find(commands, words.front(), &Command::name);
                   if (named == commands.end())
                       throw UsageError("there is no command " + words.front());
                   return runCommand(**named, words);
               });
}

std::optional<int> CohortCommand::runPart() const {
    if (!step_.empty())
        return runOneStep();
    if (batchNumber_ >= 0)
        return runBatch(readPlan(output_), output_, static_cast<std::size_t>(batchNumber_)) ? 0 : 1;
    if (connections_.empty())
        return std::nullopt;
    serve();
    return 0;
}

CohortPlan CohortCommand::planned() {
    namespace fs = std::filesystem;
    const auto whole = [](const std::string& path) {
        std::error_code failure;
        const fs::path found = fs::weakly_canonical(fs::absolute(path), failure);
        if (failure)
            throw fileError(path, failure.message());
        return found;
    };
    const fs::path input = whole(input_), output = whole(output_);
    if (input == output)
        throw UsageError("INPUT and OUTPUT are the same folder; name another one for the results");
    output_ = output.string();
#ifdef SYSTOLE_VIEWER
    settings_.pictures = !withoutPictures_;
#else
    settings_.pictures = false;
#endif
    const CohortCases found = findCases(input_, output_, selection_);
    for (const std::string& note : found.notes)
        fmt::print("note: {}\n", note);
    return makePlan(input_, found, settings_);
}

bool CohortCommand::mayUseDevice() const {
    return settings_.backend != systole::name(Backend::Cpu) &&
           settings_.backend != systole::name(Backend::CpuReference);
}

void CohortCommand::addWhatIsThere(CohortPlan& plan) const {
    std::optional<model::GpuMachine> machine;
    if (mayUseDevice() && cudaStatus().usable())
        machine = machineFor(cudaStatus().devices.front());
    addExpectedTimes(plan, output_, machine ? &*machine : nullptr);
    const bool wholeStudy = selection_.participants.empty() && selection_.sessions.empty();
    if (const std::string why = keepEarlierCases(plan, output_, wholeStudy); !why.empty())
        fmt::print("note: {}; so the report lacks cases of earlier runs that aren't of this one\n",
                   why);
}

void CohortCommand::begin(CohortPlan& plan) {
    makeCohortFolder(output_);
    lock_.emplace(output_);
    describeCohort(plan.input, output_);
    addWhatIsThere(plan);
    writePlan(plan, output_);
    std::error_code ignored; // the next one isn't known any more
    std::filesystem::remove(std::filesystem::path(output_) / workFolder / shownPlanFile, ignored);
}

void CohortCommand::estimateCases(const CohortPlan& plan) {
    CancelToken cancel;
    InterruptWatch watch([cancel]() mutable { cancel.cancel(); });
    if (engine_.jobs == 0)
        engine_.jobs = engine_.slurm ? 100 : describeMachine().cores;
    constexpr int coresOfNode = 4;
    if (engine_.batchCores == 0)
        engine_.batchCores = engine_.slurm ? coresOfNode : engine_.jobs;
    ProgressBar bar;
    runEngine(
        plan, output_, engine_,
        [&](std::size_t done, std::size_t all) {
            bar.update(fmt::format("{} of {} steps", done, all),
                       static_cast<double>(done) / static_cast<double>(all));
        },
        [&] { return cancel.cancelled(); });
    // Cases that were done before may now keep fewer fields.
    for (const PlannedCase& each : plan.cases)
        removeTemporary(plan, output_, each);
}

int CohortCommand::printUnread(const CohortPlan& plan) {
    for (const std::string& sentence : firstOf(plan.unread))
        fmt::print("{}\n", sentence);
    if (plan.unread.empty())
        return 0;
    std::fflush(stdout);
    fmt::print(stderr,
               "systole: a part of INPUT couldn't be read: cases may be missing; those that "
               "earlier runs have finished stay in tables and report\n");
    return 1;
}

int CohortCommand::printFailures(const CohortPlan& plan) const {
    std::size_t failed = 0;
    for (const PlannedCase& each : plan.cases) {
        const std::vector<StepFailure> failures = failuresOf(plan, each, output_);
        failed += failures.empty() ? 0 : 1;
        for (const StepFailure& failure : failures)
            fmt::print("{}, {}: {}\n", each.entry.id, failure.step, failure.sentence);
    }
    for (const std::string& refusal : firstOf(plan.refusals))
        fmt::print("no case: {}\n", refusal);
    fmt::print("{}", withoutStrainText(plan.cases));
    fmt::print("{} of {} done\n", plan.cases.size() - failed,
               plural(std::ssize(plan.cases), "case"));
    return std::max(failed > 0 ? 1 : 0, printUnread(plan));
}

int CohortCommand::report(const CohortPlan& plan, int code) const {
    const std::vector<ReportedCase> cases = writeCohortReport(plan, output_);
    const bool isUnsaid = code == 0;
    for (const ReportedCase& each : cases)
        for (const StepFailure& failure : each.failures) {
            if (isUnsaid)
                fmt::print("{}, {}: {}\n", each.planned->entry.id, failure.step, failure.sentence);
            code = 1;
        }
    const auto outliers = std::ranges::count_if(
        cases, [](const ReportedCase& each) { return !each.reasons.empty(); });
    fmt::print("{}; wrote {}/report.html and phenotype/measures.tsv beside it\n",
               plural(outliers, "outlier"), output_);
    return code;
}

int CohortCommand::show(CohortPlan& plan) const {
    refuseFolderOfOthers(output_);
    if (isNewCohort(output_) && !runIsAtWork(output_)) { // one that can't be made is refused
        makeCohortFolder(output_);
        describeCohort(plan.input, output_);
    } else if (!runIsAtWork(output_)) {
        completeDescription(output_);
    }
    addWhatIsThere(plan);
    std::string why; // a study that is there can be looked at by who may not write to it
    try {
        makeFolderBelow(output_, workFolder);
        writePlan(plan, output_, shownPlanFile);
    } catch (const FileError& error) {
        why = error.what();
    }
    fmt::print("{}",
               planText(plan, why.empty() ? firstOf(plan.refusals, shownPlanFile) : plan.refusals,
                        mayUseDevice() && (engine_.slurm || cudaStatus().usable())));
    const char* const level = level_ == "group" ? "group and " : "";
    if (why.empty())
        fmt::print("nothing was done: the same command without {}--plan does it; wrote {}/{}/{}\n",
                   level, output_, workFolder, shownPlanFile);
    else
        fmt::print("nothing was done: the same command without {}--plan does it\n"
                   "note: the plan wasn't written: {}\n",
                   level, why);
    return printUnread(plan);
}

void CohortCommand::checkArguments() const {
    if (input_.empty() || output_.empty())
        throw UsageError("INPUT or OUTPUT has no name");
    if (level_.empty() && std::ranges::find(levels, output_) != levels.end())
        throw UsageError(fmt::format("INPUT or OUTPUT is missing before '{0}'; a folder of this "
                                     "name is ./{0}",
                                     output_));
    if (level_ != "group" || planOnly_)
        return; // checked by planned()
    if (std::error_code failure; !std::filesystem::exists(input_, failure))
        throw fileError(input_, failure ? failure.message() : noSuchPath);
    checkSettings(settings_);
    for (const auto& [name, labels] : {std::pair("--participant-label", &selection_.participants),
                                       std::pair("--session-label", &selection_.sessions)})
        if (!labels->empty())
            fmt::print("note: {} is ignored: group covers all cases in OUTPUT\n", name);
}

int CohortCommand::run() {
    checkArguments();
    output_ = std::filesystem::absolute(output_).string(); // its servers work in there
    if (const std::optional<int> code = runPart())
        return *code;
    const bool participants = level_ != "group";
    if (participants && !planOnly_)
        requireEngine(engine_.slurm);
    CohortPlan plan = participants || planOnly_ ? planned() : readPlan(output_);
    if (planOnly_) {
        return show(plan);
    }
    if (participants) {
        begin(plan);
        estimateCases(plan);
    } else if (runIsAtWork(output_)) {
        fmt::print("note: a run of 'systole cohort' is at work in {}; tables and report are of "
                   "what it has done by now\n",
                   output_);
    }
    if (level_ == "participant")
        return printFailures(plan);
    plan.cases = allCases(plan);
    return report(plan, printFailures(plan));
}

} // namespace

std::unique_ptr<Command> makeCohortCommand() { return std::make_unique<CohortCommand>(); }

} // namespace systole
