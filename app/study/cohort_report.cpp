#include "app/study/cohort_report.h"

#include "app/base/json_file.h"
#include "app/features/cardiac/bulls_eye.h"
#include "app/study/cohort_folder.h"
#include "app/study/robust.h"
#include "app/study/step_record.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace systole {
namespace {

std::string withUnit(double value, const QualityMeasure& measure) {
    return figureText(value, measure.decimals) + (*measure.unit ? " " : "") + measure.unit;
}

/// Adds to every case the measures in which it is far from the others.
void findOutliers(std::vector<ReportedCase>& cases) {
    struct Reason {
        double deviations = 0;
        std::string text;
    };
    std::vector<std::vector<Reason>> reasons(cases.size());
    for (const QualityMeasure& measure : qualityMeasures()) {
        std::vector<double> values;
        for (const ReportedCase& each : cases)
            if (each.quality.figures.contains(measure.id))
                values.push_back(each.quality.figures.at(measure.id));
        if (values.size() < fewestForOutliers)
            continue;
        const RobustScale scale = robustScale(values);
        const double unit = std::max(scale.deviation, measure.floor / outlierDeviations);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const auto found = cases[i].quality.figures.find(measure.id);
            if (found == cases[i].quality.figures.end())
                continue;
            const double deviations = std::abs(found->second - scale.median) / unit;
            if (deviations > outlierDeviations)
                reasons[i].push_back({deviations, fmt::format("{} {} (median {})", measure.title,
                                                              withUnit(found->second, measure),
                                                              withUnit(scale.median, measure))});
        }
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        std::ranges::stable_sort(reasons[i], std::ranges::greater(), &Reason::deviations);
        for (const Reason& reason : reasons[i])
            cases[i].reasons.push_back(reason.text);
        cases[i].strangeness = reasons[i].empty() ? 0 : reasons[i].front().deviations;
    }
}

constexpr const char* groupMeaning =
    "Group of the study. One that a spreadsheet would take for a formula has an apostrophe before "
    "it";

/// Text that others have written, as a cell of a table: an apostrophe before it keeps a spreadsheet
/// from running it as a formula. A quote may hide the beginning of a formula, or cells that follow.
std::string cellOf(const std::string& text) {
    if (text.empty())
        return "n/a";
    const bool isQuoted = trimmed(text).starts_with('"');
    return (beginsFormula(text) || isQuoted) && !parseReal(text) ? "'" + text : text;
}

/// The first columns of every table.
std::string whoseRow(const CohortCase& entry) {
    return fmt::format("sub-{}\t{}\t{}", entry.subject,
                       entry.session.empty() ? "n/a" : "ses-" + entry.session, entry.id);
}

Json whoseColumns() {
    return {{"participant_id", {{"Description", "Participant"}}},
            {"session_id", {{"Description", "Session; n/a: the study has none"}}},
            {"case", {{"Description", "Case, by the name of its results"}}}};
}

} // namespace

std::vector<ReportedCase> reportedCases(const CohortPlan& plan, const std::string& output) {
    std::vector<ReportedCase> cases;
    for (const PlannedCase& planned : plan.cases) {
        ReportedCase each{&planned, failuresOf(plan, planned, output), {}, {}, 0};
        if (each.failures.empty())
            each.quality = readCaseQuality(planned, output);
        cases.push_back(std::move(each));
    }
    findOutliers(cases);
    std::ranges::stable_sort(cases, {}, [](const ReportedCase& each) {
        return std::tuple(each.failures.empty(), -each.strangeness);
    });
    return cases;
}

std::string measuresTsv(const std::vector<ReportedCase>& cases) {
    std::string text = "participant_id\tsession_id\tcase\tgroup\toutlier";
    for (const QualityMeasure& measure : qualityMeasures())
        text += fmt::format("\t{}", measure.id);
    text += '\n';
    std::vector<const ReportedCase*> byId;
    for (const ReportedCase& each : cases)
        byId.push_back(&each);
    std::ranges::sort(byId, {}, [](const ReportedCase* each) { return each->planned->entry.id; });
    for (const ReportedCase* each : byId) {
        const CohortCase& entry = each->planned->entry;
        text += fmt::format("{}\t{}\t{}", whoseRow(entry), cellOf(entry.group),
                            !each->failures.empty() ? "failed"
                            : each->reasons.empty() ? "no"
                                                    : "yes");
        for (const QualityMeasure& measure : qualityMeasures()) {
            const auto found = each->quality.figures.find(measure.id);
            text += found == each->quality.figures.end() ? std::string("\tn/a")
                                                         : fmt::format("\t{:.9g}", found->second);
        }
        text += '\n';
    }
    return text;
}

std::string measuresSidecar() {
    Json json = whoseColumns();
    json["group"] = {{"Description", groupMeaning}};
    json["outlier"] = {{"Description", "Whether a measure is far from those of the other cases"},
                       {"Levels",
                        {{"yes", "More than 3.5 robust deviations from the median"},
                         {"no", "In no measure"},
                         {"failed", "A step failed; the report says why"}}}};
    for (const QualityMeasure& measure : qualityMeasures()) {
        json[measure.id] = {{"LongName", measure.title}, {"Description", measure.meaning}};
        if (*measure.unit)
            json[measure.id]["Units"] = measure.unit;
    }
    return jsonText(json);
}

std::string participantsTsv(const std::vector<ReportedCase>& cases) {
    std::map<std::string, std::string> groups;
    for (const ReportedCase& each : cases)
        if (std::string& group = groups[each.planned->entry.subject]; group.empty())
            group = each.planned->entry.group;
    std::string text = "participant_id\tgroup\n";
    for (const auto& [subject, group] : groups)
        text += fmt::format("sub-{}\t{}\n", subject, cellOf(group));
    return text;
}

std::string participantsSidecar() {
    return jsonText({{"participant_id", {{"Description", "Participant"}}},
                     {"group", {{"Description", groupMeaning}}}});
}

std::string costsTsv(const std::vector<ReportedCase>& cases, const std::string& output) {
    std::string text =
        "participant_id\tsession_id\tcase\tstep\tseconds\twaited\tpeak_memory\tdevice\tcomputer\n";
    for (const ReportedCase& each : cases)
        for (const CohortStep& step : each.planned->steps) {
            const StepCost cost = costOf(output, each.planned->entry.id, step.name);
            text +=
                fmt::format("{}\t{}\t{:.3f}\t{:.3f}\t{}\t{}\t{}\n", whoseRow(each.planned->entry),
                            step.name, cost.seconds, cost.waitedSeconds, cost.peakBytes,
                            cellOf(cost.device), cellOf(cost.host));
        }
    return text;
}

std::string costsSidecar() {
    Json json = whoseColumns();
    json["step"] = {{"Description", "Step of the case"}};
    json["seconds"] = {
        {"Description", "Duration of the step's work, without the time that it waited"},
        {"Units", "s"}};
    json["waited"] = {{"Description", "Time that the step waited for memory of a GPU and, in a "
                                      "batch, for its turns to estimate there"},
                      {"Units", "s"}};
    json["peak_memory"] = {{"Description", "Largest resident memory of the step's process; in a "
                                           "batch of the one that steps share"},
                           {"Units", "bytes"}};
    json["device"] = {{"Description", "cpu, or the name of the GPU"}};
    json["computer"] = {{"Description", "Host name of the computer that did it"}};
    return jsonText(json);
}

std::vector<ReportedCase> writeCohortReport(const CohortPlan& plan, const std::string& output) {
    std::vector<ReportedCase> cases = reportedCases(plan, output);
    makeFolderBelow(output, "phenotype");
    writeOwn(output + "/phenotype/measures.tsv", measuresTsv(cases));
    writeOwn(output + "/phenotype/measures.json", measuresSidecar());
    writeOwn(output + "/participants.tsv", participantsTsv(cases));
    writeOwn(output + "/participants.json", participantsSidecar());
    writeOwn(output + "/group_costs.tsv", costsTsv(cases, output));
    writeOwn(output + "/group_costs.json", costsSidecar());
    writeOwn(output + "/report.html", cohortPage(plan, cases, output));
    return cases;
}

} // namespace systole
