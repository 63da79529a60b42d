#include "app/cohort/cohort_folder.h"
#include "app/cohort/cohort_plan.h"
#include "app/json_file.h"
#include "app/version.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace systole {
namespace {

/// Of some 100 000 cases.
constexpr std::uintmax_t mostPlanBytes = std::uintmax_t{1} << 30;

std::string pathOf(const std::string& output) { return output + "/" + workFolder + "/plan.json"; }

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

CohortStep stepOf(const Json& json) {
    return {json.at("name"),         json.at("needs"),
            json.at("inputs"),       json.at("output"),
            json.at("commands"),     json.at("memory_bytes"),
            json.at("device_bytes"), json.at("expected_seconds"),
            json.at("passing")};
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

PlannedCase caseOf(const Json& json) {
    PlannedCase planned;
    CohortCase& entry = planned.entry;
    for (const auto& [key, member] :
         {std::pair("id", &CohortCase::id), std::pair("subject", &CohortCase::subject),
          std::pair("session", &CohortCase::session), std::pair("image", &CohortCase::image),
          std::pair("labels", &CohortCase::labels), std::pair("frames", &CohortCase::frames),
          std::pair("seed", &CohortCase::seed), std::pair("points", &CohortCase::points),
          std::pair("group", &CohortCase::group)})
        entry.*member = json.at(key);
    for (const auto& [name, value] : json.at("references").items())
        entry.references.emplace_back(name, value);
    planned.input = json.at("input");
    planned.method = json.at("method");
    planned.refusal = json.at("refusal");
    planned.frames = json.at("sequence_frames");
    planned.size = json.at("size");
    planned.spacing = json.at("spacing_mm");
    for (const Json& step : json.at("steps"))
        planned.steps.push_back(stepOf(step));
    return planned;
}

Json jsonOf(const std::vector<PlannedCase>& cases) {
    Json list = Json::array();
    for (const PlannedCase& planned : cases)
        list.push_back(jsonOf(planned));
    return list;
}

std::vector<PlannedCase> casesOf(const Json& list) {
    std::vector<PlannedCase> cases;
    for (const Json& each : list)
        cases.push_back(caseOf(each));
    return cases;
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
                              "that no plan has; 'systole cohort --plan' makes it anew");
}

const std::string& idOf(const PlannedCase& planned) { return planned.entry.id; }

} // namespace

void writePlan(const CohortPlan& plan, const std::string& output) {
    const CohortSettings& settings = plan.settings;
    writeOwn(pathOf(output), {{"version", programVersion()},
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
    const std::string path = pathOf(output);
    return fromJson(
        path,
        [&](const Json& json) {
            CohortPlan plan{
                json.at("input"),
                {json.at("program"), json.at("program_stamp"), json.at("program_sha256")},
                {json.at("method"), json.at("preset"), json.at("backend"), json.at("parameters"),
                 json.at("threads"), json.at("pictures"), json.at("certainty"), json.at("fields")},
                casesOf(json.at("cases")),
                casesOf(json.at("earlier_cases")),
                json.at("refusals")};
            for (const std::vector<PlannedCase>* list : {&plan.cases, &plan.earlier})
                for (const PlannedCase& planned : *list)
                    check(path, planned);
            return plan;
        },
        mostPlanBytes);
}

std::vector<PlannedCase> allCases(const CohortPlan& plan) {
    std::vector<PlannedCase> cases;
    std::ranges::merge(plan.cases, plan.earlier, std::back_inserter(cases), {}, idOf, idOf);
    return cases;
}

void keepEarlierCases(CohortPlan& plan, const std::string& output, bool wholeStudy) {
    std::vector<PlannedCase> known;
    try {
        known = allCases(readPlan(output));
    } catch (const FileError&) { // there is none, or it is another version's
        return;
    }
    for (PlannedCase& planned : known)
        if (!std::ranges::binary_search(plan.cases, planned.entry.id, {}, idOf) &&
            !(wholeStudy && planned.input == plan.input))
            plan.earlier.push_back(std::move(planned));
}

} // namespace systole
