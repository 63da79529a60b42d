#include "app/base/plural.h"
#include "app/base/version.h"
#include "app/base/web_page.h"
#include "app/features/cardiac/bulls_eye.h"
#include "app/features/cardiac/strain_doubts.h"
#include "app/study/agreement_chart.h"
#include "app/study/cohort_report.h"
#include "app/study/robust.h"
#include "app/study/step_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace systole {
namespace {

/// More would make the page slow; the cases that matter come first, and the others have pages.
constexpr std::size_t maxPictures = 100;

/// Number of cases from which the table scrolls separately below its head.
constexpr std::ptrdiff_t manyCases = 15;

using Measures = std::vector<const QualityMeasure*>;

/// The measures that at least one case has.
Measures knownMeasures(const std::vector<ReportedCase>& cases) {
    Measures known;
    for (const QualityMeasure& measure : qualityMeasures())
        if (std::ranges::any_of(cases, [&](const ReportedCase& each) {
                return each.quality.figures.contains(measure.id);
            }))
            known.push_back(&measure);
    return known;
}

/// The groups that cases are of, ascending.
std::set<std::string> groupsOf(const std::vector<ReportedCase>& cases) {
    std::set<std::string> groups;
    for (const ReportedCase& each : cases)
        groups.insert(each.planned->entry.group);
    groups.erase("");
    return groups;
}

std::string columnTitle(const QualityMeasure& measure) {
    return fmt::format("{}{}{}", measure.title, *measure.unit ? ", " : "", measure.unit);
}

constexpr int widestCards = 800; ///< pixels of a page whose rows are cards

constexpr const char* style =
    "body{max-width:1880px}"
    "#technical:not(:checked)~* .technical{display:none}label{cursor:pointer}"
    "td img{display:block;width:180px;max-width:none}"
    "td.words{min-width:220px;vertical-align:top}.cases th{min-width:52px}"
    ".cases td:first-child,.cases th:first-child{position:sticky;left:0;background:#fff;"
    "border-left:4px solid transparent}"
    ".many{max-height:88vh;overflow:auto}.many th{position:sticky;top:0;background:#fff;z-index:1}"
    ".many th:first-child{z-index:2}@media print{.many{max-height:none;overflow:visible}}"
    ".cases tr.failed td:first-child{border-left:4px solid #c0392b}"
    ".cases tr.outlier td:first-child{border-left:4px solid #d68910}";

/// CSS that shows a case on a narrow screen as a card: its name, picture and words below each
/// other, then its figures, each with the title of its column, to avoid scrolling sideways.
std::string narrowStyle(const Measures& measures, bool withGroup) {
    std::string css = fmt::format(
        "@media(max-width:{}px){{"
        ".many{{max-height:none}}"
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
    int column = 4; // the first column after name, picture and words
    const auto add = [&](const std::string& title) {
        css += fmt::format(".cases td:nth-child({})::before{{content:\"{}\"}}", column++, title);
    };
    if (withGroup)
        add("group");
    for (const QualityMeasure* measure : measures)
        add(columnTitle(*measure));
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

/// The attribute of cells that the switch hides.
const char* kindOf(const QualityMeasure& measure) {
    return measure.ofHeart ? "" : " class=\"technical\"";
}

std::string caseTable(const std::vector<ReportedCase>& cases, const Measures& measures,
                      bool withGroup, const std::string& output) {
    std::string html = fmt::format("<div class=\"wide cases{}\"><table>\n<tr><th>case</th><th></th>"
                                   "<th class=\"left\">what to look at</th>{}",
                                   std::ssize(cases) > manyCases ? " many" : "",
                                   withGroup ? "<th>group</th>" : "");
    for (const QualityMeasure* measure : measures)
        html += fmt::format("<th{} title=\"{}\">{}</th>", kindOf(*measure),
                            htmlEscaped(measure->meaning), columnTitle(*measure));
    html += "<th class=\"technical\">seconds</th></tr>\n";
    std::size_t count = 0;
    for (const ReportedCase& each : cases) {
        html += fmt::format(
            "<tr{}><td>{}</td><td>{}</td><td class=\"words\">{}</td>{}",
            !each.failures.empty() ? " class=\"failed\""
            : each.reasons.empty() ? ""
                                   : " class=\"outlier\"",
            linkedId(each), count++ < maxPictures ? pictureOf(each, output) : "", wordsOf(each),
            withGroup ? "<td>" + htmlEscaped(each.planned->entry.group) + "</td>" : "");
        for (const QualityMeasure* measure : measures) {
            const auto found = each.quality.figures.find(measure->id);
            html += fmt::format("<td{}>{}</td>", kindOf(*measure),
                                found == each.quality.figures.end()
                                    ? "–"
                                    : figureText(found->second, measure->decimals));
        }
        html +=
            fmt::format("<td class=\"cost technical\">{:.1f}</td></tr>\n", secondsOf(each, output));
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

/// A part of the page on all cases together. `isHidden`: the switch hides the whole part.
struct GroupPart {
    std::string html{};
    bool isHidden = false;
};

/// Statistics, also by group if there are several. A single case has none: its figures are in its
/// row.
GroupPart statistics(const std::vector<ReportedCase>& cases, const Measures& measures) {
    std::set<std::string> groups = groupsOf(cases);
    const bool several = groups.size() > 1;
    if (!several)
        groups.clear();
    groups.insert(""); // all
    std::string rows;
    bool anyOfHeart = false;
    for (const QualityMeasure* measure : measures)
        for (const std::string& group : groups) {
            const std::vector<double> values = valuesOf(cases, measure->id, group);
            if (values.empty() || (group.empty() && values.size() < 2))
                continue;
            const RobustScale scale = robustScale(values);
            const double mean = std::accumulate(values.begin(), values.end(), 0.0) /
                                static_cast<double>(values.size());
            rows += fmt::format(
                "<tr{}><td>{}</td>{}<td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                kindOf(*measure), columnTitle(*measure),
                several
                    ? "<td class=\"left\">" + (group.empty() ? "all" : htmlEscaped(group)) + "</td>"
                    : "",
                values.size(), figureText(scale.median, measure->decimals),
                values.size() > 1 ? figureText(scale.deviation, measure->decimals) : "–",
                figureText(mean, measure->decimals));
            anyOfHeart = anyOfHeart || measure->ofHeart;
        }
    if (rows.empty())
        return {};
    return {fmt::format("<div><div{}>{}<div class=\"wide\"><table>\n<tr><th>measure</th>{}<th>"
                        "cases</th><th>median</th><th>robust deviation</th><th>mean"
                        "</th></tr>\n{}</table></div></div></div>\n",
                        anyOfHeart ? "" : " class=\"technical\"", htmlHeading("Statistics"),
                        several ? "<th class=\"left\">group</th>" : "", rows),
            !anyOfHeart};
}

/// Bull's-eyes of mean strain, over the cases with the most frequent number of segments.
std::string meanBullsEyes(const std::vector<ReportedCase>& cases) {
    std::map<std::size_t, std::size_t> counts;
    for (const ReportedCase& each : cases)
        ++counts[each.quality.segments[0].size()];
    counts.erase(0);
    if (counts.empty())
        return {};
    const auto [segments, number] =
        *std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    std::string html =
        htmlHeading(number == 1 ? "Strain at end systole"
                                : fmt::format("Strain at end systole, mean of {} cases", number));
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
    html += "</div>\n";
    const auto turned = std::ranges::count_if(cases, [&](const ReportedCase& each) {
        return each.quality.segments[0].size() == segments &&
               std::ranges::find(each.quality.doubts, turnedSegments) != each.quality.doubts.end();
    });
    if (turned == 0)
        return html;
    return html + "<p>" +
           (number == 1 ? std::string(turnedSegments)
                        : fmt::format("{} whose segments may be turned {} among them.",
                                      plural(turned, "case"), turned == 1 ? "is" : "are")) +
           "</p>\n";
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
        if (measured.size() == 1) { // a single difference has no limits of agreement
            html += fmt::format("<p>{}: {} {}, reference {}</p>\n", measure.title,
                                figureText(measured[0], measure.decimals), measure.unit,
                                figureText(reference[0], measure.decimals));
            continue;
        }
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

/// The methods that estimated the motion, the most frequent first, if there are several: measures
/// differ more between methods than between hearts.
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

/// `anyBelow`: there is something of all cases together.
std::string howText(const CohortPlan& plan, const std::vector<ReportedCase>& cases, bool anyBelow) {
    std::string html = fmt::format("<p>{}. ", htmlEscaped(methodText(cases)));
    if (cases.size() >= fewestForOutliers)
        html += fmt::format(
            "A case is an outlier, yellow, where a measure lies more than {:g} robust deviations "
            "(1.4826 times the median distance from the median) from the median of all; the "
            "strangest comes first, after what failed, red. ",
            outlierDeviations);
    else
        html += fmt::format("What failed comes first, red. Outliers are looked for from {} cases "
                            "on. ",
                            fewestForOutliers);
    if (cases.size() > maxPictures)
        html += fmt::format("Pictures are shown of the first {} rows. ", maxPictures);
    const auto done = std::ranges::count_if(
        cases, [](const ReportedCase& each) { return each.failures.empty(); });
    if (done > 0)
        html += fmt::format("Each case{} has a page of its own, behind its name. ",
                            done == std::ssize(cases) ? "" : " that is done");
    if (anyBelow)
        html += "<a href=\"#group\">All cases together</a> are below.";
    html += "</p>\n";
    for (const std::string& sentence : firstOf(plan.unread))
        html += fmt::format("<p><b>{}</b></p>\n", htmlEscaped(sentence));
    if (!plan.unread.empty())
        html += "<p><b>A part of the study couldn't be read: cases may be missing.</b></p>\n";
    for (const std::string& refusal : firstOf(plan.refusals))
        html += fmt::format("<p>No case: {}</p>\n", htmlEscaped(refusal));
    return html;
}

/// Shows and hides what has the class "technical" in what follows, without a script.
constexpr const char* technicalSwitch =
    "<input type=\"checkbox\" id=\"technical\"> <label for=\"technical\">also figures of the "
    "images, the registration and the computation</label>\n";

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
    const Measures measures = knownMeasures(cases);
    const bool withGroup = !groupsOf(cases).empty();
    const GroupPart figures = statistics(cases, measures);
    const std::string others = meanBullsEyes(cases) + agreements(cases);
    const bool anyBelow = !others.empty() || !(figures.html.empty() || figures.isHidden);
    body += howText(plan, cases, anyBelow) + technicalSwitch +
            caseTable(cases, measures, withGroup, output) + "<div id=\"group\"></div>\n" +
            figures.html + others;
    body += fmt::format("<p>systole {}. {}</p>\n", programVersion(), researchOnly);
    return htmlPage("Cohort", pageStyle + std::string(style) + narrowStyle(measures, withGroup),
                    body);
}

} // namespace systole
