#include "app/cardiac/strain_report.h"

#include "app/cardiac/bulls_eye.h"
#include "app/cardiac/strain_charts.h"
#include "app/cardiac/strain_doubts.h"
#include "app/cardiac/strain_figures.h"
#include "app/version.h"
#include "app/web_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace systole {
namespace {

std::string wholeTable(const StrainOutcome& outcome) {
    std::vector<std::vector<std::string>> rows{{"measure", "unit", "ED", "ES"}};
    for (const FrameFigure& row : frameFigures(outcome, 0))
        rows.push_back({row.name, row.unit, figureText(row.diastole, row.decimals),
                        figureText(row.systole, row.decimals)});
    return htmlTable(rows);
}

/// What is hatched, and the standard errors of the whole; empty: they aren't known.
std::string certaintyText(const StrainOutcome& outcome, const std::string& by) {
    if (outcome.errors.empty())
        return "";
    const cardiac::FrameErrors& errors =
        outcome.errors[static_cast<std::size_t>(outcome.summary.endSystole)];
    return fmt::format(
        "<p>Hatched: the standard error exceeds {:.3g} % of length. Standard errors: "
        "GLS {:.2f} %, GCS {:.2f} %, GRS {:.2f} %, twist {:.2f}°; of each segment "
        "in the table. They are by {}.</p>\n",
        outcome.errorBound, 100 * errors.strain.longitudinal, 100 * errors.strain.circumferential,
        100 * errors.strain.radial, errors.twist, htmlEscaped(by));
}

/// "−18.0", and with its standard error "−18.0 ± 1.2"; percent.
std::string strainText(const StrainOutcome& outcome, std::size_t t, std::size_t s, int direction) {
    std::string text =
        figureText(100 * outcome.measures.frames[t].segments[s].strain[direction], 1);
    if (!outcome.errors.empty())
        text += " ± " + figureText(100 * outcome.errors[t].segments[s][direction], 1);
    return text;
}

std::string segmentTable(const StrainOutcome& outcome, cardiac::AhaModel model) {
    const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
    std::vector<std::vector<std::string>> rows{
        {"segment", "longitudinal, %", "circumferential, %", "radial, %", "peak longitudinal, ms",
         "post-systolic, %", "rotation, °", "thickness at ED, mm", "at ES, mm", "mean J",
         "voxels"}};
    for (std::size_t s = 0; s < outcome.summary.segments.size(); ++s) {
        const cardiac::SegmentFrame& now = outcome.measures.frames[es].segments[s];
        const cardiac::StrainPeak& peak = outcome.summary.segments[s][0];
        rows.push_back({fmt::format("{} {}", s + 1, cardiac::ahaNames(model)[s]),
                        strainText(outcome, es, s, 0), strainText(outcome, es, s, 1),
                        strainText(outcome, es, s, 2), figureText(1e3 * peak.seconds, 0),
                        figureText(peak.postSystolicIndex, 0), figureText(now.rotation, 1),
                        figureText(outcome.measures.frames.front().segments[s].thickness, 1),
                        figureText(now.thickness, 1), figureText(now.jacobian, 3),
                        fmt::format("{}", outcome.measures.segmentVoxels[s])});
    }
    return htmlTable(rows);
}

std::string methodText(const StrainOutcome& outcome, const StrainReport& report) {
    const cardiac::MeasureOptions options = measureOptions(report.parameters);
    const cardiac::Placement& placement = outcome.ventricle->placement;
    const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
    std::string text = fmt::format(
        "<p>Definition <b>{}</b>: {} After {}. Strain is Lagrangian, relative to frame {} (end "
        "diastole, ED); shortening is negative, thickening positive. GLS, GCS and GRS are the "
        "longitudinal, circumferential and radial one of the whole wall. End systole (ES) is frame "
        "{}, "
        "{}. EF is the ejection fraction. "
        "Rotation is counter-clockwise seen from the apex positive; twist is apical less basal "
        "rotation. Volumes are those within the carried surface of mid-wall, less the muscle "
        "within it at end diastole. J is the volume of tissue over that at end diastole. The long "
        "axis is {:.1f} mm.</p>\n",
        options.definition->name, htmlEscaped(options.definition->meaning),
        htmlEscaped(options.definition->paper), outcome.motion.frame.front(),
        outcome.motion.frame[es],
        namedFrame(report.parameters, "end-systole") ? "as given" : "that of the smallest volume",
        placement.axis.length());
    if (!report.motionBy.empty())
        text += fmt::format("<p>Motion by {}.</p>\n", htmlEscaped(report.motionBy));
    if (outcome.motion.frame.front() != outcome.frame)
        text += fmt::format("<p>The labels are those of frame {}; the motion begins there, and "
                            "frames before end diastole count as those of the next beat.</p>\n",
                            outcome.frame);
    if (std::isfinite(outcome.residual.measured))
        text += fmt::format("<p>{}.</p>\n", closureText(outcome.residual));
    for (const std::string& note : placement.notes)
        text += fmt::format("<p>Note: {}.</p>\n", htmlEscaped(note));
    for (const std::string& doubt : strainDoubts(outcome))
        text += fmt::format("<p><b>{}</b></p>\n", htmlEscaped(doubt));
    return text;
}

std::string inputTable(const StrainReport& report) {
    std::vector<std::vector<std::string>> rows{{"input", "file", "SHA-256"}};
    for (const StrainReport::Input& input : report.inputs)
        rows.push_back({input.role, input.file, input.sha256});
    return htmlTable(rows);
}

std::string parameterTable(const StrainReport& report) {
    std::vector<std::vector<std::string>> rows{{"parameter", "value"}};
    for (const ParamRow& row : report.parameters.table().rows())
        rows.push_back({row.labelWithId(), report.parameters.text(row.id)});
    return htmlTable(rows);
}

constexpr const char* titleText = "Left ventricle: strain, twist, volumes";
constexpr double narrowest = 300; ///< pixels: a narrower drawing is a key

ReportSection curves(const StrainOutcome& outcome, cardiac::AhaModel model) {
    ReportSection section{.title = "Strain over time"};
    for (int k = 0; k < 3; ++k)
        section.drawings.push_back(strainCurves(outcome, model, k));
    section.drawings.push_back(segmentColorKey(model));
    section.blocks.emplace_back(
        "<p>Colored: segments. Dashed: the whole ventricle. ES: end systole.</p>\n");
    return section;
}

} // namespace

std::string motionWords(const std::string& method, const ParamSet& parameters) {
    std::vector<std::string> words;
    for (const ParamRow& row : parameters.table().rows())
        words.push_back(row.id + " " + parameters.text(row.id));
    return fmt::format("{} ({})", method, fmt::join(words, ", "));
}

StrainReportContent strainReportContent(const StrainOutcome& outcome, const StrainReport& report) {
    const cardiac::AhaModel model = measureOptions(report.parameters).model;
    const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
    ReportSection bullsEyes{.title = fmt::format("Strain of the segments at end systole, frame {}",
                                                 outcome.motion.frame[es])};
    for (const char* direction : cardiac::directionNames)
        bullsEyes.drawings.push_back(
            bullsEyeDrawing(outcome, model, bullsEyeQuantity(direction), es));
    if (const std::string errors = certaintyText(outcome, report.errorsBy); !errors.empty())
        bullsEyes.blocks.push_back(errors);
    return {titleText,
            researchOnly,
            {bullsEyes,
             curves(outcome, model),
             {.title = "Volume, twist, change of tissue's volume",
              .drawings = {volumeCurve(outcome), twistCurves(outcome), jacobianHistogram(outcome)}},
             {.title = "The whole ventricle, ED and ES",
              .blocks = {wholeTable(outcome)},
              .besideNext = true},
             {.title = "Segments at end systole", .blocks = {segmentTable(outcome, model)}},
             {.title = "Method", .blocks = {methodText(outcome, report), parameterTable(report)}},
             {.title = "Inputs", .blocks = {inputTable(report)}}},
            fmt::format("systole {}. {}", programVersion(), researchOnly)};
}

std::string strainReportPage(const StrainReportContent& content) {
    std::string body = fmt::format("<h1>{}</h1>\n<p class=\"notice\"><b>{}</b></p>\n",
                                   content.title, content.notice);
    for (const ReportSection& section : content.sections) {
        body += htmlHeading(section.title);
        if (!section.drawings.empty())
            body += "<div class=\"row\">\n";
        for (const Drawing& drawing : section.drawings)
            body += htmlFigure(drawing, drawing.width < narrowest ? " class=\"key\"" : "");
        if (!section.drawings.empty())
            body += "</div>\n";
        for (const std::string& block : section.blocks)
            body += block;
    }
    return htmlPage("Left ventricle: strain", pageStyle, body + "<p>" + content.foot + "</p>\n");
}

} // namespace systole
