#include "app/base/json_file.h"
#include "app/base/version.h"
#include "app/study/cohort_folder.h"
#include "app/study/cohort_plan.h"
#include "io/base/byte_source.h"
#include "io/base/error.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace systole {
namespace {

/// Bound of the size of a plan: some 100 000 cases.
constexpr std::uintmax_t maxPlanBytes = std::uintmax_t{1} << 30;

std::string pathOf(const std::string& output, const char* file) {
    return output + "/" + workFolder + "/" + file;
}

using References = std::vector<std::pair<std::string, double>>;

template <typename Value, typename... Kinds>
constexpr bool isOneOf = (std::same_as<std::remove_const_t<Value>, Kinds> || ...);

/// Calls with(key, member) for each member of a part of a plan, in the order of the file; writing
/// and reading use it.
template <typename Value, typename With>
requires(isOneOf<Value, CohortStep>) void overMembers(Value& step, const With& with) {
    with("name", step.name);
    with("needs", step.needs);
    with("inputs", step.inputs);
    with("output", step.output);
    with("commands", step.commands);
    with("memory_bytes", step.bytes);
    with("device_bytes", step.deviceBytes);
    with("expected_seconds", step.seconds);
    with("passing", step.temporary);
}

template <typename Value, typename With>
requires(isOneOf<Value, PlannedCase>) void overMembers(Value& planned, const With& with) {
    auto& entry = planned.entry;
    with("id", entry.id);
    with("subject", entry.subject);
    with("session", entry.session);
    with("image", entry.image);
    with("labels", entry.labels);
    with("frames", entry.frames);
    with("seed", entry.seed);
    with("points", entry.points);
    with("group", entry.group);
    with("references", entry.references);
    with("input", planned.input);
    with("method", planned.method);
    with("refusal", planned.refusal);
    with("input_unread", planned.inputUnread);
    with("sequence_frames", planned.frames);
    with("size", planned.size);
    with("spacing_mm", planned.spacing);
    with("steps", planned.steps);
}

template <typename Value, typename With>
requires(isOneOf<Value, CohortPlan>) void overMembers(Value& plan, const With& with) {
    with("program", plan.program.file);
    with("program_stamp", plan.program.stamp);
    with("program_sha256", plan.program.sha256);
    with("input", plan.input);
    auto& settings = plan.settings;
    with("method", settings.method);
    with("preset", settings.preset);
    with("backend", settings.backend);
    with("parameters", settings.assignments);
    with("threads", settings.threads);
    with("pictures", settings.pictures);
    with("certainty", settings.certainty);
    with("fields", settings.fields);
    with("refusals", plan.refusals);
    with("unread", plan.unread);
    with("cases", plan.cases);
    with("earlier_cases", plan.earlier);
}

template <typename Value>
Json jsonOf(const Value& value) {
    if constexpr (isOneOf<Value, References>) {
        Json object = Json::object();
        for (const auto& [name, number] : value)
            object[name] = number;
        return object;
    } else if constexpr (isOneOf<Value, std::vector<PlannedCase>, std::vector<CohortStep>>) {
        Json list = Json::array();
        for (const auto& each : value) {
            Json object = Json::object();
            overMembers(each,
                        [&](const char* key, const auto& member) { object[key] = jsonOf(member); });
            list.push_back(std::move(object));
        }
        return list;
    } else {
        return value;
    }
}

/// A member that a plan lacks, or has of another type than this version writes.
struct UnreadableMember : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws UnreadableMember.
template <typename Value>
void readMember(const Json& object, const std::string& key, Value& value) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (found == object.end())
        throw UnreadableMember(key);
    if constexpr (isOneOf<Value, References>) {
        if (!found->is_object())
            throw UnreadableMember(key);
        for (const auto& [name, number] : found->items())
            readMember(*found, name, value.emplace_back(name, 0.0).second);
    } else if constexpr (isOneOf<Value, std::vector<PlannedCase>, std::vector<CohortStep>>) {
        if (!found->is_array())
            throw UnreadableMember(key);
        for (const Json& each : *found)
            overMembers(value.emplace_back(),
                        [&](const char* of, auto& member) { readMember(each, of, member); });
    } else {
        try {
            found->get_to(value);
        } catch (const Json::exception&) {
            throw UnreadableMember(key);
        }
    }
}

/// True if the text has only letters and digits, as in names of BIDS, and characters of `also`, so
/// that it can't be a path elsewhere.
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
        throw UnusablePlan(
            fileError(path, "isn't as this program writes it: it has names of a case or folders "
                            "that no plan has"));
}

const std::string& idOf(const PlannedCase& planned) { return planned.entry.id; }

/// Explains a missing or wrong member: another version wrote the plan, or it was edited later.
std::string whyUnreadable(const Json& json, const std::string& key) {
    const auto textOf = [&](const char* member) {
        const auto found = json.find(member);
        return found != json.end() && found->is_string() ? found->get<std::string>() : "";
    };
    const std::string version = textOf("version");
    if (textOf("program_sha256") == ownProgram().sha256)
        return fmt::format("was changed since this program wrote it: '{}' is missing or has "
                           "another type",
                           key);
    return fmt::format(
        "was written by another version of systole ({}; this is {}): '{}' is missing "
        "or has another type",
        version.empty() ? "unknown" : version, programVersion(), key);
}

/// Throws FileError if it can't be read, UnusablePlan if it is no file as this program makes it.
std::string textOfPlan(const std::string& path) {
    std::error_code failure;
    const auto kind = std::filesystem::symlink_status(path, failure).type();
    if (failure)
        throw fileError(path, "can't be read: " + failure.message());
    if (kind == std::filesystem::file_type::regular)
        if (const InputFile file(path); file.size() <= maxPlanBytes)
            return file.text(0, maxPlanBytes);
    throw UnusablePlan(fileError(path, "isn't a file of JSON as this program writes it"));
}

CohortPlan planIn(const std::string& path) {
    const std::optional<Json> json = parseJson(textOfPlan(path));
    if (!json || !json->is_object())
        throw UnusablePlan(fileError(path, "isn't a file of JSON as this program writes it"));
    try {
        CohortPlan plan;
        overMembers(plan, [&](const char* key, auto& member) { readMember(*json, key, member); });
        for (const std::vector<PlannedCase>* list : {&plan.cases, &plan.earlier})
            for (const PlannedCase& planned : *list)
                check(path, planned);
        return plan;
    } catch (const UnreadableMember& member) {
        throw UnusablePlan(fileError(path, whyUnreadable(*json, member.what())));
    }
}

} // namespace

bool hasPlan(const std::string& output) {
    std::error_code failure;
    return std::filesystem::symlink_status(pathOf(output, planFile), failure).type() !=
           std::filesystem::file_type::not_found;
}

void writePlan(const CohortPlan& plan, const std::string& output, const char* file) {
    Json json{{"version", programVersion()}};
    overMembers(plan, [&](const char* key, const auto& member) { json[key] = jsonOf(member); });
    writeOwn(pathOf(output, file), json);
}

CohortPlan readPlan(const std::string& output) {
    if (!hasPlan(output))
        throw fileError(output, "no cohort was run here; 'systole cohort INPUT OUTPUT' runs one");
    return planIn(pathOf(output, planFile));
}

UnusablePlan::UnusablePlan(const FileError& why)
    : FileError(std::string(why.what()) +
                "; 'systole cohort INPUT OUTPUT' makes it anew, and does again what another "
                "version of the program has done")
    , reason(why.what()) {}

std::vector<PlannedCase> allCases(const CohortPlan& plan) {
    std::vector<PlannedCase> cases;
    std::ranges::merge(plan.cases, plan.earlier, std::back_inserter(cases), {}, idOf, idOf);
    return cases;
}

} // namespace systole
