#include "app/study/step_record.h"

#include "app/base/file_state.h"
#include "app/base/json_file.h"
#include "app/base/version.h"
#include "app/study/cohort_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace systole {
namespace {

std::string workPath(const std::string& output, const char* kind, const std::string& id,
                     const std::string& step, const char* ending) {
    return fmt::format("{}/{}/{}/{}/{}{}", output, workFolder, kind, id, step, ending);
}

Json jsonOf(const std::vector<FileState>& files) {
    Json list = Json::array();
    for (const FileState& file : files)
        list.push_back({{"file", file.file}, {"sha256", file.sha256}, {"stamp", file.stamp}});
    return list;
}

/// True for the same files with the same bytes, but for temporary ones that aren't there.
bool areAsRecorded(const std::string& output, const std::vector<std::string>& paths,
                   const Json& recorded, const PlannedCase& planned) {
    std::vector<FileState> before = statesOf(recorded);
    std::vector<FileState> now = stampsOf(output, paths);
    std::erase_if(before, [&](const FileState& file) {
        return std::ranges::any_of(
                   planned.steps,
                   [&](const CohortStep& step) { return step.isTemporary(file.file); }) &&
               !std::ranges::binary_search(now, file.file, {}, &FileState::file);
    });
    if (!std::ranges::equal(now, before, {}, &FileState::file, &FileState::file))
        return false;
    for (std::size_t i = 0; i < now.size(); ++i)
        if (now[i].stamp != before[i].stamp && hashOf(output, now[i]) != before[i].sha256)
            return false;
    return true;
}

/// True if the inputs are as recorded. Those of the study, whose paths are absolute, don't count if
/// they can't be read now.
bool inputsHold(const std::string& output, const CohortStep& step, const Json& recorded,
                const PlannedCase& planned) {
    if (!planned.inputUnread)
        return areAsRecorded(output, step.inputs, recorded, planned);
    std::vector<std::string> paths = step.inputs;
    std::erase_if(paths, [](const std::string& path) { return path.starts_with('/'); });
    Json ours = Json::array();
    for (const Json& file : recorded)
        if (!file.at("file").get<std::string>().starts_with('/'))
            ours.push_back(file);
    return areAsRecorded(output, paths, ours, planned);
}

/// True if the record of this step holds, even if temporary files that it made were needed again.
bool ownRecordHolds(const CohortPlan& plan, const std::string& output, const PlannedCase& planned,
                    const CohortStep& step) {
    try {
        const std::optional<Json> record =
            readJson(recordPath(output, planned.entry.id, step.name));
        return record && record->at("program_sha256") == plan.program.sha256 &&
               record->at("commands") == step.commands &&
               inputsHold(output, step, record->at("inputs"), planned) &&
               areAsRecorded(output, {step.output}, record->at("outputs"), planned);
    } catch (const Json::exception&) {
        return false;
    } catch (const FileError&) { // an input or output is missing, or the record can't be read
        return false;
    }
}

/// True if a step whose own record holds lacks temporary files.
bool lacksTemporaryFiles(const std::string& output, const PlannedCase& planned,
                         const CohortStep& step) {
    const auto recorded = recordedOutputs(recordPath(output, planned.entry.id, step.name));
    return !step.temporary.empty() && std::ranges::count_if(recorded, [&](const FileState& file) {
                                          return step.isTemporary(file.file);
                                      }) != std::ssize(temporaryFiles(output, step));
}

} // namespace

std::string recordPath(const std::string& output, const std::string& id, const std::string& step) {
    return workPath(output, "records", id, step, ".json");
}
std::vector<std::string> recordPaths(const std::string& output, const std::string& id,
                                     const std::vector<std::string>& steps) {
    std::vector<std::string> paths;
    for (const std::string& step : steps)
        paths.push_back(recordPath(output, id, step));
    return paths;
}
std::string logPath(const std::string& output, const std::string& id, const std::string& step) {
    return workPath(output, "logs", id, step, ".log");
}
std::string failurePath(const std::string& output, const std::string& id, const std::string& step) {
    return workPath(output, "failures", id, step, ".json");
}
std::string lockPath(const std::string& output, const std::string& id, const std::string& step) {
    return workPath(output, "locks", id, step, "");
}
std::string donePath(const std::string& output, const std::string& id, const std::string& step) {
    return workPath(output, "done", id, step, "");
}

bool recordHolds(const CohortPlan& plan, const std::string& output, const PlannedCase& planned,
                 const CohortStep& step) {
    if (!ownRecordHolds(plan, output, planned, step))
        return false;
    const auto reads = [&](const CohortStep& other) {
        return !other.commands.empty() &&
               std::ranges::find(other.needs, step.name) != other.needs.end();
    };
    return !lacksTemporaryFiles(output, planned, step) ||
           std::ranges::all_of(planned.steps, [&](const CohortStep& other) {
               return !reads(other) || ownRecordHolds(plan, output, planned, other);
           });
}

std::vector<std::string> temporaryFiles(const std::string& output, const CohortStep& step) {
    std::vector<std::string> files;
    if (!step.temporary.empty())
        for (const FileState& file : stampsOf(output, {step.output}))
            if (step.isTemporary(file.file))
                files.push_back(file.file);
    return files;
}

void writeStepRecord(const CohortPlan& plan, const std::string& output, const std::string& id,
                     const CohortStep& step, const std::vector<FileState>& inputs,
                     const StepCost& cost) {
    std::vector<FileState> outputs = stampsOf(output, {step.output});
    for (FileState& file : outputs)
        file.sha256 = hashOf(output, file);
    const auto now =
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    writeOwn(recordPath(output, id, step.name),
             {{"version", programVersion()},
              {"program_sha256", plan.program.sha256},
              {"case", id},
              {"step", step.name},
              {"commands", step.commands},
              {"inputs", jsonOf(inputs)},
              {"outputs", jsonOf(outputs)},
              {"device", cost.device},
              {"host", cost.host},
              {"seconds", cost.seconds},
              {"waited_seconds", cost.waitedSeconds},
              {"peak_memory_bytes", cost.peakBytes},
              {"finished", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))}});
}

StepCost costOf(const std::string& output, const std::string& id, const std::string& step) {
    const std::optional<Json> record = readJson(recordPath(output, id, step));
    if (!record)
        return {};
    try {
        return {record->value("seconds", 0.0), record->value("waited_seconds", 0.0),
                record->value("peak_memory_bytes", std::uint64_t{0}), record->value("host", ""),
                record->value("device", "")};
    } catch (const Json::exception&) { // damaged: nothing is known
        return {};
    }
}

} // namespace systole
