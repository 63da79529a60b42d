#include "app/features/cardiac/strain_report.h"

#include "app/base/version.h"
#include "app/base/web_page.h"
#include "app/features/cardiac/bulls_eye.h"
#include "app/features/cardiac/heart_picture.h"
#include "app/features/cardiac/strain_charts.h"
#include "app/features/cardiac/strain_figures.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <optional>
#include <utility>

namespace systole {
namespace {

std::string wholeTable(const StrainOutcome& outcome) {
    std::vector<std::vector<std::string>> rows{{"measure", "unit", "ED", "ES"}};
    for (const FrameFigure& row : frameFigures(outcome, 0))
        rows.push_back({row.name, row.unit, figureText(row.diastole, row.decimals),
                        figureText(row.systole, row.decimals)});
    return htmlTable(rows);
}

/// Explains hatching, with the standard errors of the whole wall; empty: they aren't known.
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
    std::vector<std::vector<std::string>> rows{{"segment", "longit., %", "circumf., %", "radial, %",
                                                "peak longit., ms", "post-systolic, %",
                                                "rotation, °", "thickness at ED, mm", "at ES, mm",
                                                "mean J", "voxels"}};
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
        "within it at end diastole. J is the volume of a piece of tissue over its volume at end "
        "diastole: 1 everywhere, if muscle keeps its volume. SD of J is the standard deviation of "
        "J over the wall's voxels: how much the motion swells some places and shrinks others, "
        "which muscle doesn't do, so that a large one speaks against the motion. The long axis is "
        "{:.1f} mm.</p>\n",
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
    return text;
}

std::string inputTable(const StrainReport& report) {
    std::vector<std::vector<std::string>> rows{{"input", "file", "SHA-256"}};
    for (const StrainReport::Input& input : report.inputs)
        rows.push_back({input.role, input.file, input.sha256});
    return htmlTable(rows);
}

/// A label that was given, or found in the file.
std::string labelWords(int given, int found) {
    return given > 0   ? fmt::format("{}, as given", given)
           : found > 0 ? fmt::format("{}, found", found)
                       : "none, or not of a file";
}

/// A setting as a reader says it: what "-1" and "0" came to.
std::string settingWords(const ParamRow& row, const StrainReport& report,
                         const StrainOutcome& outcome) {
    const ParamSet& all = report.parameters;
    const auto frame = [&](int place, const char* byItself) {
        return fmt::format("frame {}, {}", outcome.motion.frame[static_cast<std::size_t>(place)],
                           namedFrame(all, row.id.c_str()) ? "as given" : byItself);
    };
    if (row.id == "end-diastole")
        return frame(0, "that of the labels");
    if (row.id == "end-systole")
        return frame(outcome.summary.endSystole, "that of the smallest volume");
    if (row.id == "cavity-label")
        return labelWords(all.integer(row.id), report.roles.cavity);
    if (row.id == "wall-label")
        return labelWords(all.integer(row.id), report.roles.wall);
    if (row.id == "rv-label")
        return labelWords(all.integer(row.id), report.roles.rightVentricle);
    if (row.type == ParamType::Switch)
        return all.isOn(row.id) ? "yes" : "no";
    return all.text(row.id) + (row.unit.empty() ? "" : " " + row.unit);
}

std::string parameterTable(const StrainOutcome& outcome, const StrainReport& report) {
    std::vector<std::vector<std::string>> rows{{"setting", "value"}};
    for (const ParamRow& row : report.parameters.table().rows())
        rows.push_back({row.labelWithId(), settingWords(row, report, outcome)});
    return htmlTable(rows);
}

/// Every ejection fraction that is known, the one in the headline first, and what each means.
std::string ejectionBlock(const StrainOutcome& outcome, const StrainReport& report) {
    const std::vector<EjectionWay> ways =
        report.ejections.empty() ? ejectionWays(outcome, "the motion", {}) : report.ejections;
    std::vector<std::vector<std::string>> rows{
        {"ejection fraction", "%", "largest, ml", "frame", "smallest, ml", "frame"}};
    std::string meanings;
    for (const EjectionWay& way : ways) {
        rows.push_back({way.way, figureText(way.percent, 1), figureText(way.largest, 1),
                        fmt::format("{}", way.diastole), figureText(way.smallest, 1),
                        fmt::format("{}", way.systole)});
        const std::string line =
            fmt::format("<p>{}: {}</p>\n", htmlEscaped(way.way), htmlEscaped(way.meaning));
        meanings += line;
    }
    return htmlTable(rows) + meanings;
}

/// Doubts, next to the numbers as in the panel; a section without blocks: there are none.
ReportSection doubtsOf(const StrainReport& report) {
    ReportSection section{.title = "Doubts about these figures"};
    for (const std::string& doubt : report.doubts)
        section.blocks.push_back(fmt::format("<p><b>{}</b></p>\n", htmlEscaped(doubt)));
    return section;
}

std::string titleOf(const StrainReport& report) {
    return report.study.empty() ? "Left ventricle: strain, twist, volumes"
                                : report.study + ": left ventricle, strain, twist, volumes";
}

std::string aboutOf(const StrainReport& report) {
    return report.date.empty() ? "" : "Measured on " + report.date + ".";
}

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

std::string dateOfToday() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

std::vector<ReportPicture>
heartPictures(const StrainOutcome& outcome, const Geometry& grid,
              const std::function<std::shared_ptr<const Volume>(int frame)>& frameOf) {
    const std::vector<int>& frames = outcome.motion.frame;
    const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
    const auto reference =
        static_cast<std::size_t>(std::ranges::find(frames, outcome.frame) - frames.begin());
    std::vector<ReportPicture> pictures;
    const auto add = [&](std::size_t t, const std::string& what, bool labels) {
        const std::shared_ptr<const Volume> gray = frameOf(frames[t]);
        const auto view = gray ? std::optional(gray->view()) : std::nullopt;
        const RgbaImage image = heartPicture(outcome, t, view ? &*view : nullptr, grid, labels);
        pictures.push_back(
            {encodePng(image), image.width, image.height,
             fmt::format("Frame {}, {}. Short axis, basal, mid and apical, seen from the apex "
                         "(septum left), and long axis (base above); {:.0f} mm each. Yellow: the "
                         "wall{}.{}{}",
                         frames[t], what, 2 * heartPictureReach(*outcome.ventricle),
                         frames[t] == outcome.frame ? " of the labels"
                                                    : " as the motion carries it",
                         labels ? " Orange: labels of the cavity; blue: of the wall." : "",
                         gray ? ""
                              : " Plain gray: no image of it on the grid of the motion was given "
                                "('systole strain --images').")});
    };
    if (reference < frames.size())
        add(reference, reference == 0 ? "end diastole" : "of the labels", true);
    if (reference != 0)
        add(0, "end diastole", false);
    if (es != 0 && es != reference)
        add(es, "end systole", false);
    return pictures;
}

std::string motionWords(const std::string& method, const ParamSet& parameters) {
    std::vector<std::string> words;
    for (const ParamRow& row : parameters.table().rows())
        words.push_back(row.id + " " + parameters.text(row.id));
    return fmt::format("{} ({})", method, fmt::join(words, ", "));
}

ReportContent strainReportContent(const StrainOutcome& outcome, const StrainReport& report) {
    const cardiac::AhaModel model = measureOptions(report.parameters).model;
    const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
    ReportSection bullsEyes{.title = fmt::format("Strain of the segments at end systole, frame {}",
                                                 outcome.motion.frame[es])};
    for (const char* direction : cardiac::directionNames)
        bullsEyes.drawings.push_back(
            bullsEyeDrawing(outcome, model, bullsEyeQuantity(direction), es));
    if (const std::string errors = certaintyText(outcome, report.errorsBy); !errors.empty())
        bullsEyes.blocks.push_back(errors);
    std::vector<ReportSection> sections;
    if (!report.pictures.empty())
        sections.push_back({.title = "Heart and labels", .pictures = report.pictures});
    const ReportSection usual[] = {
        bullsEyes,
        curves(outcome, model),
        {.title = "Volume, twist, change of tissue's volume",
         .drawings = {volumeCurve(outcome), twistCurves(outcome), jacobianHistogram(outcome)}},
        doubtsOf(report),
        {.title = "The whole ventricle, ED and ES", .blocks = {wholeTable(outcome)}},
        {.title = "Ejection fractions", .blocks = {ejectionBlock(outcome, report)}},
        {.title = "Segments at end systole", .blocks = {segmentTable(outcome, model)}},
        {.title = "Method",
         .blocks = {methodText(outcome, report), parameterTable(outcome, report)}},
        {.title = "Inputs", .blocks = {inputTable(report)}}};
    std::ranges::copy_if(usual, std::back_inserter(sections), [](const ReportSection& section) {
        return !section.drawings.empty() || !section.blocks.empty();
    });
    return {titleOf(report), aboutOf(report), researchOnly, std::move(sections),
            fmt::format("systole {}. {}", programVersion(), researchOnly)};
}

std::string strainReportPage(const ReportContent& content) {
    std::string body = fmt::format("<h1>{}</h1>\n", htmlEscaped(content.title));
    if (!content.about.empty())
        body += fmt::format("<p>{}</p>\n", htmlEscaped(content.about));
    body += fmt::format("<p class=\"notice\"><b>{}</b></p>\n", content.notice);
    for (const ReportSection& section : content.sections) {
        body += htmlHeading(section.title);
        for (const ReportPicture& picture : section.pictures)
            body += fmt::format("<figure style=\"margin:6px 0\"><img alt=\"{0}\" "
                                "src=\"{1}\"><figcaption>{0}</figcaption></figure>\n",
                                htmlEscaped(picture.caption), pngSource(picture.png));
        if (!section.drawings.empty())
            body += "<div class=\"row\">\n";
        for (const Drawing& drawing : section.drawings)
            body += htmlFigure(drawing, drawing.width < narrowest ? " class=\"key\"" : "");
        if (!section.drawings.empty())
            body += "</div>\n";
        for (const std::string& block : section.blocks)
            body += block;
    }
    return htmlPage(content.title, pageStyle, body + "<p>" + content.foot + "</p>\n");
}

} // namespace systole
