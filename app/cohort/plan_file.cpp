#include "app/cohort/cohort_folder.h"
#include "app/cohort/cohort_plan.h"
#include "app/json_file.h"
#include "app/version.h"
#include "io/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>

namespace systole {
namespace {

/// Of some 100 000 cases.
constexpr std::uintmax_t mostPlanBytes = std::uintmax_t{1} << 30;

std::string pathOf(const std::string& output, const char* file) {
    return output + "/" + workFolder + "/" + file;
}

/// What a plan has nowhere, or of another kind than this version writes.
struct UnreadableMember {
    std::string key;
};

/// Throws UnreadableMember, as the following do.
const Json& memberOf(const Json& object, const std::string& key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (found == object.end())
        throw UnreadableMember{key};
    return *found;
}

template <typename Value>
void read(const Json& object, const std::string& key, Value& value) {
    try {
        memberOf(object, key).get_to(value);
    } catch (const Json::exception&) {
        throw UnreadableMember{key};
    }
}

template <typename Value>
void readList(const Json& object, const std::string& key, std::vector<Value>& list,
              void (*readOne)(const Json&, Value&)) {
    const Json& elements = memberOf(object, key);
    if (!elements.is_array())
        throw UnreadableMember{key};
    for (const Json& each : elements)
        readOne(each, list.emplace_back());
}

Json jsonOf(const CohortStep& step) {
    return {{"name", step.name},
            {"needs", step.needs},
            {"inputs", step.inputs},
            {"output", step.output},
            {"commands", step.commands},
            {"memory_bytes", step.bytes},
            {"device_bytes", step.deviceBytes},
            {"expected_seconds", step.seconds},
            {"passing", step.passing}};
}

void readStep(const Json& json, CohortStep& step) {
    read(json, "name", step.name);
    read(json, "needs", step.needs);
    read(json, "inputs", step.inputs);
    read(json, "output", step.output);
    read(json, "commands", step.commands);
    read(json, "memory_bytes", step.bytes);
    read(json, "device_bytes", step.deviceBytes);
    read(json, "expected_seconds", step.seconds);
    read(json, "passing", step.passing);
}

Json jsonOf(const PlannedCase& planned) {
    const CohortCase& entry = planned.entry;
    Json references = Json::object(), steps = Json::array();
    for (const auto& [name, value] : entry.references)
        references[name] = value;
    for (const CohortStep& step : planned.steps)
        steps.push_back(jsonOf(step));
    return {{"id", entry.id},
            {"subject", entry.subject},
            {"session", entry.session},
            {"image", entry.image},
            {"labels", entry.labels},
            {"frames", entry.frames},
            {"seed", entry.seed},
            {"points", entry.points},
            {"group", entry.group},
            {"references", references},
            {"input", planned.input},
            {"method", planned.method},
            {"refusal", planned.refusal},
            {"sequence_frames", planned.frames},
            {"size", planned.size},
            {"spacing_mm", planned.spacing},
            {"steps", steps}};
}

void readCase(const Json& json, PlannedCase& planned) {
    CohortCase& entry = planned.entry;
    for (const auto& [key, member] :
         {std::pair("id", &CohortCase::id), std::pair("subject", &CohortCase::subject),
          std::pair("session", &CohortCase::session), std::pair("image", &CohortCase::image),
          std::pair("labels", &CohortCase::labels), std::pair("frames", &CohortCase::frames),
          std::pair("seed", &CohortCase::seed), std::pair("points", &CohortCase::points),
          std::pair("group", &CohortCase::group)})
        read(json, key, entry.*member);
    const Json& references = memberOf(json, "references");
    if (!references.is_object())
        throw UnreadableMember{"references"};
    for (const auto& [name, value] : references.items())
        read(references, name, entry.references.emplace_back(name, 0.0).second);
    read(json, "input", planned.input);
    read(json, "method", planned.method);
    read(json, "refusal", planned.refusal);
    read(json, "sequence_frames", planned.frames);
    read(json, "size", planned.size);
    read(json, "spacing_mm", planned.spacing);
    readList(json, "steps", planned.steps, readStep);
}

Json jsonOf(const std::vector<PlannedCase>& cases) {
    Json list = Json::array();
    for (const PlannedCase& planned : cases)
        list.push_back(jsonOf(planned));
    return list;
}

/// Of letters and digits, as in names of BIDS, and no other file's path.
bool isName(const std::string& text, std::string_view also) {
    return std::ranges::all_of(text, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               also.find(c) != std::string_view::npos;
    });
}

/// Anyone may have changed the file since, and its names become paths, and words of a shell.
void check(const std::string& path, const PlannedCase& planned) {
    const CohortCase& entry = planned.entry;
    bool right = !entry.id.empty() && isName(entry.id, "-_") && !entry.subject.empty() &&
                 isName(entry.subject, "") && isName(entry.session, "");
    for (const CohortStep& step : planned.steps)
        right = right && isName(step.name, "") &&
                step.output == entry.folder() + "/" + entry.id + "_" + step.name;
    if (!right)
        throw fileError(path, "isn't as this program writes it: it has names of a case or folders "
                              "that no plan has");
}

const std::string& idOf(const PlannedCase& planned) { return planned.entry.id; }

CohortPlan planOf(const Json& json) {
    CohortPlan plan;
    read(json, "input", plan.input);
    read(json, "program", plan.program.file);
    read(json, "program_stamp", plan.program.stamp);
    read(json, "program_sha256", plan.program.sha256);
    CohortSettings& settings = plan.settings;
    read(json, "method", settings.method);
    read(json, "preset", settings.preset);
    read(json, "backend", settings.backend);
    read(json, "parameters", settings.assignments);
    read(json, "threads", settings.threads);
    read(json, "pictures", settings.pictures);
    read(json, "certainty", settings.certainty);
    read(json, "fields", settings.fields);
    readList(json, "cases", plan.cases, readCase);
    readList(json, "earlier_cases", plan.earlier, readCase);
    read(json, "refusals", plan.refusals);
    return plan;
}

/// Why a plan can't be read that has no such member: who wrote it isn't this program, or somebody
/// has changed it since.
std::string whyUnreadable(const Json& json, const std::string& key) {
    const auto textOf = [&](const char* member) {
        const auto found = json.find(member);
        return found != json.end() && found->is_string() ? found->get<std::string>() : "";
    };
    const std::string version = textOf("version");
    if (textOf("program_sha256") == ownProgram().sha256)
        return fmt::format("was changed since this program wrote it: its '{}' is missing or isn't "
                           "what it was",
                           key);
    return fmt::format("was written by another version of systole ({}; this is {}), in whose plans "
                       "'{}' is missing or something else",
                       version.empty() ? "it doesn't say which" : version, programVersion(), key);
}

/// Throws FileError that says why it can't be read.
CohortPlan planIn(const std::string& path) {
    const std::optional<Json> json = readJson(path, mostPlanBytes);
    if (!json)
        throw fileError(path, "isn't a file of JSON as this program writes it");
    try {
        CohortPlan plan = planOf(*json);
        for (const std::vector<PlannedCase>* list : {&plan.cases, &plan.earlier})
            for (const PlannedCase& planned : *list)
                check(path, planned);
        return plan;
    } catch (const UnreadableMember& member) {
        throw fileError(path, whyUnreadable(*json, member.key));
    }
}

bool hasPlan(const std::string& output) {
    std::error_code failure;
    return std::filesystem::exists(
        std::filesystem::symlink_status(pathOf(output, planFile), failure));
}

} // namespace

void writePlan(const CohortPlan& plan, const std::string& output, const char* file) {
    const CohortSettings& settings = plan.settings;
    writeOwn(pathOf(output, file), {{"version", programVersion()},
                                    {"program", plan.program.file},
                                    {"program_stamp", plan.program.stamp},
                                    {"program_sha256", plan.program.sha256},
                                    {"input", plan.input},
                                    {"method", settings.method},
                                    {"preset", settings.preset},
                                    {"backend", settings.backend},
                                    {"parameters", settings.assignments},
                                    {"threads", settings.threads},
                                    {"pictures", settings.pictures},
                                    {"certainty", settings.certainty},
                                    {"fields", settings.fields},
                                    {"refusals", plan.refusals},
                                    {"cases", jsonOf(plan.cases)},
                                    {"earlier_cases", jsonOf(plan.earlier)}});
}

CohortPlan readPlan(const std::string& output) {
    if (!hasPlan(output))
        throw fileError(output, "no cohort was run here; 'systole cohort INPUT OUTPUT' runs one");
    try {
        return planIn(pathOf(output, planFile));
    } catch (const FileError& error) {
        throw FileError(std::string(error.what()) +
                        "; 'systole cohort INPUT OUTPUT' makes it anew, and does again what "
                        "another version of the program has done");
    }
}

std::vector<PlannedCase> allCases(const CohortPlan& plan) {
    std::vector<PlannedCase> cases;
    std::ranges::merge(plan.cases, plan.earlier, std::back_inserter(cases), {}, idOf, idOf);
    return cases;
}

std::string keepEarlierCases(CohortPlan& plan, const std::string& output, bool wholeStudy) {
    if (!hasPlan(output))
        return {};
    std::vector<PlannedCase> known;
    try {
        known = allCases(planIn(pathOf(output, planFile)));
    } catch (const FileError& error) {
        return error.what();
    }
    for (PlannedCase& planned : known)
        if (!std::ranges::binary_search(plan.cases, planned.entry.id, {}, idOf) &&
            !(wholeStudy && planned.input == plan.input))
            plan.earlier.push_back(std::move(planned));
    return {};
}

} // namespace systole
