#include "app/study/engine.h"

#include "app/base/child.h"
#include "app/base/error.h"
#include "app/study/batch.h"
#include "app/study/cohort_folder.h"
#include "app/study/file_lock.h"
#include "app/study/snakefile.h"
#include "app/study/step_record.h"
#include "app/study/step_run.h"
#include "compute/core/error.h"
#include "io/base/sha256.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <thread>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr const char* engineName = "snakemake";
constexpr auto pollInterval = std::chrono::milliseconds(20); ///< an interrupt is answered so soon
constexpr int pollsPerProgress = 25;
/// Time after which a file of one node is visible to another over a network, at the latest.
constexpr int latencySeconds = 60;
constexpr std::size_t jobNameDigits = 16;

/// Unless a process that an earlier run left behind still does the step: it holds its lock.
void removeOutcome(const std::string& output, const std::string& id, const std::string& step) {
    std::error_code ignored;
    if (!fs::exists(lockPath(output, id, step), ignored))
        return; // never begun
    if (const FileLock lock = FileLock::tryLock(lockPath(output, id, step)); lock.held()) {
        fs::remove(recordPath(output, id, step), ignored);
        fs::remove(failurePath(output, id, step), ignored);
    }
}

/// Marks that the engine would take for done although their step isn't are removed, and those are
/// made again that it lacks.
/// Returns the cases that aren't done.
std::vector<std::string> matchMarks(const CohortPlan& plan, const std::string& output) {
    std::vector<std::string> undone;
    for (const PlannedCase& planned : plan.cases) {
        bool isDone = true;
        const std::string& id = planned.entry.id;
        makeFolderBelow(
            output, fs::path(donePath(output, id, "")).parent_path().lexically_relative(output));
        for (const CohortStep& step : planned.steps) {
            const std::string mark = donePath(output, id, step.name);
            std::error_code failure;
            if (!recordHolds(plan, output, planned, step)) {
                fs::remove(mark, failure);
                removeOutcome(output, id, step.name);
                isDone = false;
            } else if (!fs::exists(mark, failure)) {
                writeOwn(mark, "");
            }
        }
        if (!isDone)
            undone.push_back(id);
    }
    return undone;
}

/// None where a job is a step. Marks of batches are of one run alone.
CohortBatches batchesOf(const std::vector<std::string>& ids, int threads,
                        const EngineOptions& options) {
    CohortBatches batches{std::max(1, options.batchCores / std::max(1, threads)), {}, 1};
    if (!options.slurm) // a job of Slurm has its own memory
        batches.batchesAtATime =
            std::max(1, options.jobs / (std::max(1, threads) * batches.atATime));
    if (options.batch > 0)
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (i % static_cast<std::size_t>(options.batch) == 0)
                batches.ids.emplace_back();
            batches.ids.back().push_back(ids[i]);
        }
    return batches;
}

void removeBatchMarks(const std::string& work) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(work + "/done", ignored))
        if (entry.path().filename().string().starts_with(batchMark))
            fs::remove(entry.path(), ignored);
}

std::size_t countDone(const CohortPlan& plan, const std::string& output) {
    std::size_t done = 0;
    std::error_code failure;
    for (const PlannedCase& planned : plan.cases)
        for (const CohortStep& step : planned.steps)
            done += fs::exists(recordPath(output, planned.entry.id, step.name), failure);
    return done;
}

/// The name of all jobs of this cohort, different from that of others.
std::string jobName(const std::string& output) {
    Sha256 hash;
    hash.add(std::as_bytes(std::span(output)));
    return "systole-" + hash.hex().substr(0, jobNameDigits);
}

/// Two jobs with the same case would remove each other's marks. So those of an earlier run that was
/// killed, or that Snakemake left behind on a full disk, end before the next run begins.
void endJobs(const std::string& output, const std::function<bool()>& cancelled) {
    const std::string name = jobName(output);
    Child ending({{"sh", "-c",
                   fmt::format("scancel --name={0}; "
                               "while [ -n \"$(squeue --noheader --name={0})\" ]; do sleep 1; done",
                               name)},
                  output + "/" + workFolder,
                  output + "/" + workFolder + "/slurm_ended.log",
                  {}});
    while (ending.running()) {
        if (cancelled())
            throw Cancelled();
        std::this_thread::sleep_for(pollInterval);
    }
}

/// Snakemake asks this about a job of Slurm. One that the controller doesn't know any more has
/// ended: its marks, which Snakemake looks for then, say how. One that can't be asked about now
/// counts as running, and one that Slurm holds until somebody looks at its node as failed.
constexpr const char* slurmStatus = R"(#!/bin/sh
# Made by 'systole cohort': success, failed or running of the job $1 of Slurm.
job=$(LC_ALL=C scontrol --oneliner show job "$1" 2>&1)
case $job in
    *"Invalid job id"*) echo success; exit ;;
    *" Reason=launch_failed_requeued_held "*) scancel "$1"; echo failed; exit ;;
esac
state=$(printf '%s\n' "$job" | sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p')
case $state in
    COMPLETED) echo success ;;
    BOOT_FAIL | CANCELLED | DEADLINE | FAILED | OUT_OF_MEMORY | TIMEOUT) echo failed ;;
    *) echo running ;;
esac
)";

/// A word of a command that Snakemake formats and gives to a shell, as it was given.
std::string clusterWord(const std::string& word) {
    std::string quoted = "'";
    for (const char c : word)
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted.append(c == '{' || c == '}' ? 2 : 1, c);
    return quoted + "'";
}

/// A stand-in for the client of a cloud, which no cohort needs: smart_open, by which Snakemake
/// opens files, tries to import each and does without those that aren't installed. Other importers,
/// such as plugins of Snakemake 8 that can't do without, get the client itself.
constexpr const char* cloudClient = R"(import importlib, os, sys

importer = sys._getframe(1)
while importer.f_code.co_filename.startswith("<frozen importlib"):
    importer = importer.f_back
if importer.f_globals.get("__name__", "").startswith("smart_open"):
    raise ImportError("not needed by 'systole cohort'")
sys.path.remove(os.path.dirname(__file__))
del sys.modules[__name__]
importlib.import_module(__name__)
)";

/// Importing such clients, where they are installed, as with Debian's package, is half of
/// Snakemake's start. Returns where Python shall look before there.
std::string pathWithoutClouds(const std::string& work) {
    const std::string folder = work + "/home/python";
    makeFolderBelow(work, "home/python");
    for (const char* client : {"azure", "boto3", "paramiko"})
        writeOwn(fmt::format("{}/{}.py", folder, client), cloudClient);
    const char* const given = std::getenv("PYTHONPATH");
    return given && *given ? fmt::format("{}:{}", folder, given) : folder;
}

std::vector<std::string> engineWords(const std::string& output, const EngineOptions& options) {
    const std::string work = output + "/" + workFolder;
    std::vector<std::string> words{
        engineName, "--snakefile",  "Snakefile",        "--directory",
        work,       "--keep-going", "--nolock",         "--rerun-incomplete",
        "--quiet",  "all",          "--rerun-triggers", "mtime"};
    if (!options.slurm) {
        const std::uint64_t megabytes = memoryOfThisJob() / 1'000'000;
        words.insert(words.end(), {"--cores", std::to_string(options.jobs), "--resources",
                                   fmt::format("mem_mb={}", megabytes)});
        return words;
    }
    std::string submit =
        fmt::format("sbatch --parsable --requeue --open-mode=append --job-name={} "
                    "--cpus-per-task={{threads}} --mem={{resources.mem_mb}}M --output=slurm-%j.log",
                    jobName(output));
    for (const std::string& word : options.slurmWords)
        submit += " " + clusterWord(word);
    words.insert(words.end(),
                 {"--jobs", std::to_string(options.jobs), "--cluster", submit, "--cluster-status",
                  "./slurm_status.sh", "--cluster-cancel", "scancel", "--latency-wait",
                  std::to_string(latencySeconds), "--max-status-checks-per-second", "2"});
    return words;
}

/// Snakemake's text about an error, on one line, from the line that names the error on.
std::string reasonIn(const std::string& log) {
    constexpr std::size_t maxLength = 300;
    std::ifstream file(log, std::ios::binary);
    std::string reason;
    for (std::string line; reason.size() < maxLength && std::getline(file, line);)
        if (!reason.empty() || line.find("Error") != std::string::npos ||
            line.find("Exception") != std::string::npos)
            reason += (reason.empty() ? "" : " ") + std::string(trimmed(line));
    if (reason.size() > maxLength)
        reason = reason.substr(0, maxLength) + "...";
    return reason.empty() ? "it doesn't say why" : reason;
}

} // namespace

void requireEngine(bool slurm) {
    if (!isOnPath(engineName))
        throw UsageError("cohorts are run by Snakemake, which isn't installed: on Debian 12 "
                         "'apt-get install snakemake'");
    if (slurm && !isOnPath("sbatch"))
        throw UsageError("--slurm: sbatch isn't on PATH: Slurm isn't installed on this computer "
                         "(Debian 12: 'apt-get install slurm-client')");
}

void runEngine(const CohortPlan& plan, const std::string& output, const EngineOptions& options,
               const std::function<void(std::size_t, std::size_t)>& progress,
               const std::function<bool()>& cancelled) {
    const std::string work = output + "/" + workFolder;
    const std::string log = work + "/snakemake.log";
    std::error_code ignored;
    if (fs::exists(work + "/slurm_status.sh", ignored))
        endJobs(output, cancelled);
    writeOwn(work + "/Snakefile", snakefile);
    if (options.slurm) {
        writeOwn(work + "/slurm_status.sh", slurmStatus);
        fs::permissions(work + "/slurm_status.sh", fs::perms::owner_all);
    }
    for (const char* folder : {"home", "temporary", "done", ".snakemake"})
        makeFolderBelow(work, folder);
    std::size_t all = 0;
    for (const PlannedCase& planned : plan.cases)
        all += planned.steps.size();
    const std::vector<std::string> undone = matchMarks(plan, output);
    if (undone.empty())
        return;
    removeBatchMarks(work);
    writeBatches(batchesOf(undone, plan.settings.threads, options), output);
    fs::remove(log, ignored);
    // HOME and the XDG folders keep Snakemake's own files in the folder of the cohort.
    Child engine({engineWords(output, options),
                  work,
                  log,
                  {{"HOME", work + "/home"},
                   {"XDG_CACHE_HOME", work + "/home"},
                   {"XDG_CONFIG_HOME", work + "/home"},
                   {"TMPDIR", work + "/temporary"},
                   {"PYTHONPATH", pathWithoutClouds(work)},
                   {"PYTHONDONTWRITEBYTECODE", "1"}}});
    for (int poll = 0; engine.running(); ++poll) {
        if (cancelled()) {
            if (options.slurm)
                Child({{"scancel", "--name=" + jobName(output)}, work, log, {}}).wait();
            throw Cancelled(); // Snakemake ends with `engine`, what it runs here ends with its step
        }
        if (poll % pollsPerProgress == 0)
            progress(countDone(plan, output), all);
        std::this_thread::sleep_for(pollInterval);
    }
    if (engine.wait().succeeded())
        return;
    for (const PlannedCase& planned : plan.cases)
        for (const CohortStep& step : planned.steps)
            if (fs::exists(lockPath(output, planned.entry.id, step.name), ignored))
                return; // it was begun: what failed is reported, case by case
    throw fileError(log, "Snakemake failed: " + reasonIn(log));
}

} // namespace systole
