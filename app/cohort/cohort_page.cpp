#include "app/cardiac/bulls_eye.h"
#include "app/cohort/agreement_chart.h"
#include "app/cohort/cohort_report.h"
#include "app/cohort/robust.h"
#include "app/cohort/step_record.h"
#include "app/plural.h"
#include "app/version.h"
#include "app/web_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace systole {
namespace {

/// More would make the page slow; the cases that matter come first, and the others have pages.
constexpr std::size_t mostPictures = 100;

std::string columnTitle(const QualityMeasure& measure) {
    return fmt::format("{}{}{}", measure.title, *measure.unit ? ", " : "", measure.unit);
}

constexpr int widestCards = 800; ///< pixels of a page whose rows are cards

constexpr const char* style =
    "td img{display:block;width:180px;max-width:none}td.words{min-width:420px;vertical-align:top}"
    ".cases td:first-child,.cases th:first-child{position:sticky;left:0;background:#fff;"
    "border-left:4px solid transparent}"
    ".cases tr.failed td:first-child{border-left:4px solid #c0392b}"
    ".cases tr.outlier td:first-child{border-left:4px solid #d68910}";

/// On a narrow screen a case is a card: its name, picture and words below each other, then its
/// figures, each with the title of its column, so that nothing has to be scrolled sideways.
std::string narrowStyle() {
    std::string css = fmt::format(
        "@media(max-width:{}px){{"
        ".cases table,.cases tbody{{display:block}}.cases tr:first-child{{display:none}}"
        ".cases tr{{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));"
        "column-gap:20px;padding:8px 0 8px 10px;border-bottom:1px solid #ddd;"
        "border-left:4px solid transparent}}"
        ".cases tr.failed{{border-left-color:#c0392b}}.cases "
        "tr.outlier{{border-left-color:#d68910}}"
        ".cases td{{display:flex;justify-content:space-between;gap:8px;padding:1px 0;border:0;"
        "white-space:normal}}.cases td::before{{color:#666;text-align:left}}"
        ".cases td:nth-child(-n+3){{display:block;grid-column:1/-1;min-width:0;padding:2px 0;"
        "text-align:left;overflow-wrap:anywhere}}"
        ".cases tr td:first-child,.cases tr[class] td:first-child{{position:static;border:0;"
        "font-weight:bold}}"
        ".cases td:empty,.cases tr.failed td:nth-child(n+4){{display:none}}",
        widestCards);
    int column = 4; // after name, picture and words
    const auto add = [&](const std::string& title) {
        css += fmt::format(".cases td:nth-child({})::before{{content:\"{}\"}}", column++, title);
    };
    add("group");
    for (const QualityMeasure& measure : qualityMeasures())
        add(columnTitle(measure));
    add("seconds");
    return css + "}";
}

std::string pictureOf(const ReportedCase& each, const std::string& output) {
    for (const CohortStep& step : each.planned->steps)
        if (step.name == "pictures")
            return htmlImage(output + "/" + step.output + "/small.png", each.planned->entry.id);
    return {};
}

std::string wordsOf(const ReportedCase& each) {
    std::string html;
    for (const StepFailure& failure : each.failures)
        html += fmt::format("<b>{} failed:</b> {}<br>", htmlEscaped(failure.step),
                            htmlEscaped(failure.sentence));
    if (!each.reasons.empty())
        html += "<b>" + htmlEscaped(fmt::format("{}", fmt::join(each.reasons, "; "))) + "</b><br>";
    for (const std::string& doubt : each.quality.doubts)
        html += htmlEscaped(doubt) + "<br>";
    return html;
}

std::string linkedId(const ReportedCase& each) {
    const std::string id = htmlEscaped(each.planned->entry.id);
    if (!each.failures.empty())
        return id;
    return fmt::format("<a href=\"{}/report.html\">{}</a>",
                       htmlEscaped(each.planned->step(qualityStep).output), id);
}

double secondsOf(const ReportedCase& each, const std::string& output) {
    double seconds = 0;
    for (const CohortStep& step : each.planned->steps)
        seconds += costOf(output, each.planned->entry.id, step.name).seconds;
    return seconds;
}

std::string caseTable(const std::vector<ReportedCase>& cases, const std::string& output) {
    std::string html = "<div class=\"wide cases\"><table>\n<tr><th>case</th><th></th><th "
                       "class=\"left\">what to look at</th><th>group</th>";
    for (const QualityMeasure& measure : qualityMeasures())
        html += fmt::format("<th title=\"{}\">{}</th>", htmlEscaped(measure.meaning),
                            columnTitle(measure));
    html += "<th>seconds</th></tr>\n";
    std::size_t count = 0;
    for (const ReportedCase& each : cases) {
        html += fmt::format("<tr{}><td>{}</td><td>{}</td><td class=\"words\">{}</td><td>{}</td>",
                            !each.failures.empty() ? " class=\"failed\""
                            : each.reasons.empty() ? ""
                                                   : " class=\"outlier\"",
                            linkedId(each), count++ < mostPictures ? pictureOf(each, output) : "",
                            wordsOf(each), htmlEscaped(each.planned->entry.group));
        for (const QualityMeasure& measure : qualityMeasures()) {
            const auto found = each.quality.figures.find(measure.id);
            html += fmt::format("<td>{}</td>", found == each.quality.figures.end()
                                                   ? "–"
                                                   : figureText(found->second, measure.decimals));
        }
        html += fmt::format("<td class=\"cost\">{:.1f}</td></tr>\n", secondsOf(each, output));
    }
    return html + "</table></div>\n";
}

/// Values of a measure, of a group or, empty, of all.
std::vector<double> valuesOf(const std::vector<ReportedCase>& cases, const char* measure,
                             const std::string& group) {
    std::vector<double> values;
    for (const ReportedCase& each : cases)
        if (const auto found = each.quality.figures.find(measure);
            found != each.quality.figures.end() &&
            (group.empty() || each.planned->entry.group == group))
            values.push_back(found->second);
    return values;
}

std::string statistics(const std::vector<ReportedCase>& cases) {
    std::set<std::string> groups{""};
    for (const ReportedCase& each : cases)
        groups.insert(each.planned->entry.group);
    std::vector<std::vector<std::string>> rows{
        {"measure", "unit", "group", "cases", "median", "robust deviation", "mean"}};
    for (const QualityMeasure& measure : qualityMeasures())
        for (const std::string& group : groups) {
            const std::vector<double> values = valuesOf(cases, measure.id, group);
            if (values.empty())
                continue;
            const RobustScale scale = robustScale(values);
            const double mean = std::accumulate(values.begin(), values.end(), 0.0) /
                                static_cast<double>(values.size());
            rows.push_back({measure.title, measure.unit, group.empty() ? "all" : group,
                            std::to_string(values.size()),
                            figureText(scale.median, measure.decimals),
                            figureText(scale.deviation, measure.decimals),
                            figureText(mean, measure.decimals)});
        }
    return htmlHeading("Statistics") + htmlTable(rows);
}

/// Of the cases that have the number of segments that most have.
std::string meanBullsEyes(const std::vector<ReportedCase>& cases) {
    std::map<std::size_t, std::size_t> counts;
    for (const ReportedCase& each : cases)
        ++counts[each.quality.segments[0].size()];
    counts.erase(0);
    if (counts.empty())
        return {};
    const auto [segments, number] =
        *std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    std::string html = htmlHeading(fmt::format("Strain at end systole, mean of {}",
                                               plural(static_cast<std::int64_t>(number), "case")));
    html += "<div class=\"row\">\n";
    for (std::size_t k = 0; k < 3; ++k) {
        std::vector<double> sums(segments, 0.0), known(segments, 0.0);
        for (const ReportedCase& each : cases)
            for (std::size_t s = 0; s < segments; ++s)
                if (const std::vector<double>& values = each.quality.segments[k];
                    values.size() == segments && std::isfinite(values[s])) {
                    sums[s] += values[s];
                    ++known[s];
                }
        for (std::size_t s = 0; s < segments; ++s)
            sums[s] /= known[s]; // NaN where no case knows it
        html += strainBullsEye(sums, {}, k);
    }
    return html + "</div>\n";
}

std::string agreements(const std::vector<ReportedCase>& cases) {
    std::string html;
    for (const QualityMeasure& measure : qualityMeasures()) {
        std::vector<double> measured, reference;
        for (const ReportedCase& each : cases)
            for (const auto& [name, value] : each.planned->entry.references)
                if (name == measure.id && each.quality.figures.contains(name)) {
                    measured.push_back(each.quality.figures.at(name));
                    reference.push_back(value);
                }
        if (measured.empty())
            continue;
        const Agreement agreement = agreementOf(measured, reference);
        html += htmlFigure(agreementChart(agreement, measure.title, measure.unit));
        html += fmt::format("<p>{}: {} with a reference, mean difference {} {}, limits of "
                            "agreement {} to {}</p>\n",
                            measure.title, plural(std::ssize(measured), "case"),
                            figureText(agreement.bias, measure.decimals + 1), measure.unit,
                            figureText(agreement.low(), measure.decimals + 1),
                            figureText(agreement.high(), measure.decimals + 1));
    }
    return html.empty() ? html
                        : htmlHeading("Agreement with the references (Bland & Altman 1986)") +
                              "<div class=\"row\">\n" + html + "</div>\n";
}

/// What estimated the motion, the most frequent first: measures of several methods differ by more
/// than hearts do.
std::string methodText(const std::vector<ReportedCase>& cases) {
    std::map<std::string, int> counts;
    for (const ReportedCase& each : cases)
        ++counts[each.planned->method];
    if (counts.size() < 2)
        return counts.empty() ? "" : "Method " + counts.begin()->first;
    std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::ranges::greater(),
                             [](const auto& each) { return each.second; });
    std::vector<std::string> texts;
    for (const auto& [method, count] : sorted)
        texts.push_back(fmt::format("{} ({})", method, plural(count, "case")));
    return fmt::format("Different methods, which can't be compared: {}", fmt::join(texts, "; "));
}

std::string howText(const CohortPlan& plan, const std::vector<ReportedCase>& cases) {
    std::string html = fmt::format(
        "<p>{}. A case is an outlier where a measure lies more than {:g} robust "
        "deviations (1.4826 times the median distance from the median) from the median of all, "
        "from {} cases on; what is yellow comes first, the strangest first, after what failed, "
        "red. Pictures are shown of the first {} rows. Each case has a page of its own. "
        "<a href=\"#group\">The group</a> is below the cases.</p>\n",
        htmlEscaped(methodText(cases)), outlierDeviations, fewestForOutliers, mostPictures);
    for (const std::string& refusal : firstOf(plan.refusals))
        html += fmt::format("<p>No case: {}</p>\n", htmlEscaped(refusal));
    return html;
}

} // namespace

std::string cohortPage(const CohortPlan& plan, const std::vector<ReportedCase>& cases,
                       const std::string& output) {
    const auto count = [&](auto is) { return std::ranges::count_if(cases, is); };
    const auto failed = count([](const ReportedCase& each) { return !each.failures.empty(); });
    const auto outliers = count([](const ReportedCase& each) { return !each.reasons.empty(); });
    std::string body = fmt::format("<h1>{}: {} failed, {}</h1>\n<p "
                                   "class=\"notice\"><b>{}</b></p>\n",
                                   plural(std::ssize(cases), "case"), failed,
                                   plural(outliers, "outlier"), researchOnly);
    body += howText(plan, cases) + caseTable(cases, output) + "<div id=\"group\"></div>\n" +
            agreements(cases) + meanBullsEyes(cases) + statistics(cases);
    body += fmt::format("<p>systole {}. {}</p>\n", programVersion(), researchOnly);
    return htmlPage("Cohort", pageStyle + std::string(style) + narrowStyle(), body);
}

} // namespace systole
