#include "app/study/step_run.h"

#include "app/base/child.h"
#include "app/base/json_file.h"
#include "app/base/recorded_hashes.h"
#include "app/study/case_quality.h"
#include "app/study/cohort_folder.h"
#include "app/study/file_lock.h"
#include "app/study/step_record.h"
#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "io/base/on_disk.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr int lowPriority = 10; ///< "nice" of steps that use no GPU while others may

void removeTree(const fs::path& path) {
    std::error_code failure;
    fs::remove_all(path, failure);
    if (failure)
        throw fileError(path.string(), "can't be removed: " + failure.message());
}

void giveName(const fs::path& from, const fs::path& to) {
    std::error_code failure;
    fs::rename(from, to, failure);
    if (failure)
        throw fileError(to.string(), "can't get its name: " + failure.message());
    waitForNames(to.parent_path());
}

std::string hostName() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

std::uint64_t peakBytesOfThis() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

class StepRun {
public:
    StepRun(const CohortPlan& plan, const std::string& output, const std::string& id,
            const std::string& name, SharedProcess* shared)
        : plan_(plan)
        , output_(output)
        , id_(id)
        , planned_(plan.find(id))
        , step_(planned_.step(name))
        , shared_(shared)
        , partial_(fs::path(step_.output).parent_path() /
                   ("." + fs::path(step_.output).filename().string() + ".partial")) {}

    bool run() {
        for (const std::string& path :
             {lockPath(output_, id_, step_.name), logPath(output_, id_, step_.name),
              recordPath(output_, id_, step_.name), failurePath(output_, id_, step_.name)})
            makeFolderBelow(output_, fs::path(path).parent_path().lexically_relative(output_));
        makeFolderBelow(output_, fs::path(step_.output).parent_path());
        const FileLock lock(lockPath(output_, id_, step_.name));
        std::error_code ignored;
        if (!recordHolds(plan_, output_, planned_, step_)) {
            if (std::string sentence = attempt(); !sentence.empty()) {
                removeTree(whole(partial_));
                if (shared_)
                    return false;
                sentence += whyMissing(sentence);
                writeOwn(failurePath(output_, id_, step_.name),
                         {{"case", id_}, {"step", step_.name}, {"sentence", sentence}});
                const std::string line = fmt::format("{}, {}: {}\n", id_, step_.name, sentence);
                std::fputs(line.c_str(), stderr); // ignores errors: it may be a file on a full disk
                return false;
            }
        }
        fs::remove(failurePath(output_, id_, step_.name), ignored);
        if (step_.name == planned_.steps.back().name)
            removeTemporary(plan_, output_, planned_);
        return true;
    }

private:
    fs::path whole(const fs::path& path) const { return fs::path(output_) / path; }

    /// Returns why it failed.
    std::string attempt() {
        std::error_code ignored;
        fs::remove(recordPath(output_, id_, step_.name), ignored);
        fs::remove(logPath(output_, id_, step_.name), ignored);
        removeTree(whole(partial_));
        makeFolderBelow(output_, partial_);
        const auto begin = std::chrono::steady_clock::now();
        StepCost cost;
        std::vector<FileState> inputs;
        try {
            if (hasChanged(plan_.program))
                return fmt::format("{}: isn't the program that made the plan any more; call "
                                   "'systole cohort' again",
                                   plan_.program.file);
            inputs = hashedInputs();
            if (const std::string failure = work(cost); !failure.empty())
                return failure;
            for (const FileState& file : inputs)
                if (hasChanged(file))
                    return fmt::format("{}: was changed while the step read it", file.file);
            if (hasChanged(plan_.program))
                return fmt::format("{}: was replaced while the step ran", plan_.program.file);
        } catch (const FileError& error) {
            return error.what();
        } catch (const ComputeError& error) {
            return error.what();
        }
        cost.seconds = secondsSince(begin) - cost.waitedSeconds;
        cost.host = hostName();
        // The old output is renamed first, so that it also disappears as a whole.
        const fs::path old = whole(partial_).replace_extension(".old");
        removeTree(old);
        if (fs::exists(whole(step_.output), ignored))
            giveName(whole(step_.output), old);
        giveName(whole(partial_), whole(step_.output));
        removeTree(old);
        writeStepRecord(plan_, output_, id_, step_, inputs, cost);
        return {};
    }

    /// A clause to append to the sentence on why a file of an earlier step that it names is
    /// missing; empty: unknown.
    std::string whyMissing(const std::string& sentence) const {
        std::error_code ignored;
        for (const std::string& needed : step_.needs)
            for (const FileState& file : recordedOutputs(recordPath(output_, id_, needed))) {
                const fs::path path = whole(file.file);
                if (fs::exists(path, ignored) ||
                    sentence.find(path.filename().string()) == std::string::npos)
                    continue;
                const std::string why = planned_.step(needed).isTemporary(file.file)
                                            ? "because of --fields " + plan_.settings.fields
                                            : "after the step " + needed + " had made it";
                return fmt::format("; it was removed {}; run 'systole cohort INPUT OUTPUT' or "
                                   "--step {}/{} to create it again",
                                   why, id_, needed);
            }
        return {};
    }

    /// Files of the steps before, which nobody wrote to since, aren't read for their hashes.
    std::vector<FileState> hashedInputs() const {
        const RecordedHashes known(recordPaths(output_, id_, step_.needs));
        std::vector<FileState> inputs = stampsOf(output_, step_.inputs);
        for (FileState& file : inputs)
            file.sha256 = known.of(output_, file);
        return inputs;
    }

    bool hasChanged(const FileState& file) const {
        return stampsOf(output_, {file.file}).front().stamp != file.stamp &&
               hashOf(output_, file) != file.sha256;
    }

    std::string work(StepCost& cost) {
        cost.device = "cpu";
        if (step_.name == qualityStep) {
            writeCaseQuality(planned_, output_, whole(partial_).string());
            return {};
        }
        ChildCommand command{{}, output_, logPath(output_, id_, step_.name), {}};
        command.environment.push_back(
            RecordedHashes::environment(recordPaths(".", id_, step_.needs)));
        std::optional<DeviceLease> lease;
        if (step_.deviceBytes > 0)
            if (const auto devices = leasableDevices(); !devices.empty()) {
                const auto asked = std::chrono::steady_clock::now();
                lease.emplace(fmt::format("{}/{}/devices", output_, workFolder), devices,
                              step_.deviceBytes, shared_ ? &shared_->places : nullptr);
                cost.waitedSeconds = secondsSince(asked);
                command.environment.emplace_back("CUDA_VISIBLE_DEVICES", lease->device().uuid);
            }
        command.niceness = givesWay() ? lowPriority : 0;
        if (shared_ && command.niceness > 0) // this thread is never more again
            ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), command.niceness);
        for (std::vector<std::string> words : step_.commands) {
            for (std::string& word : words)
                if (word.starts_with(outputWord))
                    word.replace(0, std::strlen(outputWord), partial_.string());
            if (shared_) {
                if (const int code = shared_->run(words, lease ? &lease->device() : nullptr);
                    code != 0)
                    return fmt::format("systole {} ended with code {}", words.front(), code);
                cost.peakBytes = peakBytesOfThis();
                continue;
            }
            command.arguments = {plan_.program.file};
            command.arguments.insert(command.arguments.end(), words.begin(), words.end());
            const ChildOutcome ended = Child(command).wait();
            cost.peakBytes = std::max(cost.peakBytes, ended.peakBytes);
            if (!ended.succeeded())
                return whyFailed(ended, words.front());
        }
        if (const auto record = readJson((whole(partial_) / "run.json").string())) {
            if (record->contains("device") && record->at("device").is_string())
                cost.device = record->at("device");
            if (record->contains("waited_seconds") && record->at("waited_seconds").is_number())
                cost.waitedSeconds += record->at("waited_seconds").get<double>();
        }
        return {};
    }

    /// True if the step lets others go first: a GPU may wait for those. Only for cases whose motion
    /// was estimated on a GPU or may be.
    bool givesWay() const {
        return step_.deviceBytes == 0 &&
               std::ranges::any_of(planned_.steps,
                                   [](const CohortStep& each) { return each.deviceBytes > 0; }) &&
               costOf(output_, id_, motionStep).device != "cpu";
    }

    std::string whyFailed(const ChildOutcome& ended, const std::string& command) const {
        if (ended.signal != 0)
            return fmt::format("systole {} was ended by signal {} ({})", command, ended.signal,
                               ::strsignal(ended.signal));
        const std::string log = logPath(output_, id_, step_.name);
        const std::string sentence = lastLineWith(log, "systole: ");
        return sentence.empty() ? fmt::format("systole {} ended with code {}; {} has what it said",
                                              command, ended.exitCode, log)
                                : sentence;
    }

    const CohortPlan& plan_;
    const std::string& output_;
    const std::string& id_;
    const PlannedCase& planned_;
    const CohortStep& step_;
    SharedProcess* const shared_;
    const fs::path partial_; ///< relative to output_; only the holder of the lock uses it
};

} // namespace

bool runStep(const CohortPlan& plan, const std::string& output, const std::string& id,
             const std::string& step, SharedProcess* shared) {
    return StepRun(plan, output, id, step, shared).run();
}

void removeTemporary(const CohortPlan& plan, const std::string& output,
                     const PlannedCase& planned) {
    for (const CohortStep& step : planned.steps) {
        if (step.temporary.empty())
            continue;
        const auto holds = [&](const CohortStep& each) {
            return recordHolds(plan, output, planned, each);
        };
        const std::string path = lockPath(output, planned.entry.id, step.name);
        std::error_code ignored;
        if (!fs::exists(path, ignored))
            continue;              // never begun
        const FileLock lock(path); // nobody makes it anew now
        if (!std::ranges::all_of(planned.steps, holds))
            continue;
        makeFolderBelow(output, step.output); // no link leads elsewhere
        for (const std::string& file : temporaryFiles(output, step))
            removeTree(fs::path(output) / file);
    }
}

std::vector<StepFailure> failuresOf(const CohortPlan& plan, const PlannedCase& planned,
                                    const std::string& output) {
    std::vector<StepFailure> failures;
    if (!planned.refusal.empty())
        failures.push_back({"plan", planned.refusal});
    const std::string& id = planned.entry.id;
    for (const CohortStep& step : planned.steps)
        if (const auto failure = readJson(failurePath(output, id, step.name))) {
            const auto sentence = failure->find("sentence");
            failures.push_back({step.name, sentence != failure->end() && sentence->is_string()
                                               ? sentence->get<std::string>()
                                               : "failed"});
        }
    for (const CohortStep& step : planned.steps)
        if (failures.empty() && !recordHolds(plan, output, planned, step))
            failures.push_back(
                {step.name,
                 fmt::format("isn't done as the last run planned it, or another version of the "
                             "program did it, or its files have changed since; {}/snakemake.log "
                             "may say why",
                             workFolder)});
    return failures;
}

} // namespace systole
