#include "app/base/version.h"
#include "app/base/web_page.h"
#include "app/features/cardiac/bulls_eye.h"
#include "app/features/cardiac/strain_charts.h"
#include "app/study/case_quality.h"
#include "app/study/step_record.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <tuple>

namespace systole {
namespace {

/// A PNG file without what isn't needed to draw it; empty for other files.
std::string barePng(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    constexpr std::size_t head = 8, around = 12; // length, name and checksum of a chunk
    if (!bytes.starts_with("\x89PNG\r\n\x1a\n"))
        return {};
    std::string bare = bytes.substr(0, head);
    for (std::size_t at = head; at + around <= bytes.size();) {
        std::size_t length = 0;
        for (std::size_t k = 0; k < 4; ++k)
            length = length << 8 | static_cast<unsigned char>(bytes[at + k]);
        if (length > bytes.size() - at - around)
            return {};
        const std::string type = bytes.substr(at + 4, 4);
        const bool moves = type == "acTL" || type == "fcTL" || type == "fdAT";
        if (moves || type.front() < 'a') // critical chunks have a capital letter
            bare += bytes.substr(at, around + length);
        at += around + length;
    }
    return bare;
}

std::string pictures(const PlannedCase& planned, const std::string& output) {
    std::string html;
    for (const CohortStep& step : planned.steps) {
        for (const auto& [made, name, words] :
             {std::tuple("pictures", "fixed", "The first frame"),
              std::tuple("pictures", "warped",
                         "In its squares in turn the first frame and the next one brought "
                         "onto it by the motion: edges go on over their borders"),
              std::tuple("pictures", "before",
                         "The first frame less the next one as it is: gray where they are alike"),
              std::tuple("pictures", "after",
                         "The first frame less the next one brought onto it by the motion"),
              std::tuple("pictures", "field", "The motion from the first frame to the next, mm"),
              std::tuple("pictures", "deformation", "Change of volume by this motion, |J|"),
              std::tuple("film", "film", "All frames, each with the motion into the next, mm")}) {
            if (step.name != made)
                continue;
            const std::string image =
                htmlImage(fmt::format("{}/{}/{}.png", output, step.output, name), words);
            if (!image.empty())
                html +=
                    fmt::format("<figure style=\"flex:1 1 "
                                "400px;max-width:600px\">{}<figcaption>{}</figcaption></figure>\n",
                                image, htmlEscaped(words));
        }
    }
    return html.empty() ? html
                        : htmlHeading("Pictures") + "<div class=\"row\">\n" + html + "</div>\n";
}

std::string bullsEyes(const CaseQuality& quality) {
    if (quality.segments[0].empty())
        return {};
    std::string html = htmlHeading("Strain of the segments at end systole");
    html += "<div class=\"row\">\n";
    for (std::size_t k = 0; k < 3; ++k)
        html += strainBullsEye(quality.segments[k], quality.doubtful[k], k);
    html += "</div>\n";
    if (quality.figures.contains("doubtful_segments"))
        html += "<p>Hatched: segments whose strain has a standard error above the bound "
                "(systole strain --error-bound).</p>\n";
    return html;
}

/// A table with the figures of the heart, and one with the others that a switch shows.
std::string figureTables(const CaseQuality& quality) {
    const std::vector<std::string> head{"figure", "value", "unit"};
    std::vector<std::vector<std::string>> heart{head}, others{head};
    for (const QualityMeasure& measure : qualityMeasures())
        if (const auto found = quality.figures.find(measure.id); found != quality.figures.end())
            (measure.ofHeart ? heart : others)
                .push_back(
                    {measure.title, figureText(found->second, measure.decimals), measure.unit});
    return (heart.size() > 1 ? htmlHeading("The heart") + htmlTable(heart) : "") +
           "<details><summary>Figures of the images and the registration</summary>\n" +
           htmlTable(others) + "</details>\n";
}

/// Table of seconds, memory and device of each step. Cells whose values differ from run to run have
/// a class of their own.
std::string costTable(const PlannedCase& planned, const std::string& output) {
    std::string html = "<div class=\"wide\"><table>\n<tr><th>step</th><th>seconds</th><th>peak "
                       "memory, MB</th><th>device</th><th>computer</th></tr>\n";
    for (const CohortStep& step : planned.steps) {
        if (step.name == qualityStep)
            continue;
        const StepCost cost = costOf(output, planned.entry.id, step.name);
        html += fmt::format("<tr><td>{}</td><td class=\"cost\">{:.2f}</td><td "
                            "class=\"cost\">{:.0f}</td><td class=\"cost\">{}</td><td "
                            "class=\"cost\">{}</td></tr>\n",
                            step.name, cost.seconds, static_cast<double>(cost.peakBytes) / 1e6,
                            htmlEscaped(cost.device), htmlEscaped(cost.host));
    }
    return html + "</table></div>\n";
}

} // namespace

std::string htmlImage(const std::string& path, const std::string& name) {
    const std::string png = barePng(path);
    return png.empty() ? png
                       : fmt::format("<img loading=\"lazy\" decoding=\"async\" alt=\"{}\" "
                                     "src=\"{}\">",
                                     htmlEscaped(name), pngSource(png));
}

std::string strainBullsEye(const std::vector<double>& segments, const std::vector<bool>& hatched,
                           std::size_t direction) {
    for (const cardiac::AhaModel model :
         {cardiac::AhaModel::Sixteen, cardiac::AhaModel::Seventeen, cardiac::AhaModel::Eighteen})
        if (bullsEyeSectors(model).size() == segments.size()) {
            const BullsEyeQuantity& quantity = bullsEyeQuantity(cardiac::directionNames[direction]);
            return htmlFigure(bullsEyeDrawing(segments, hatched, model, quantity,
                                              {-quantity.limit, quantity.limit}));
        }
    return {};
}

std::string casePage(const PlannedCase& planned, const std::string& output,
                     const CaseQuality& quality) {
    const CohortCase& entry = planned.entry;
    std::string body = fmt::format("<h1>{}</h1>\n<p class=\"notice\"><b>{}</b></p>\n",
                                   htmlEscaped(entry.id), researchOnly);
    body += fmt::format("<p><code>{}</code>: {} frames of {} x {} x {} voxels of {} x {} x {} "
                        "mm</p>\n",
                        htmlEscaped(entry.image), planned.frames, planned.size.at(0),
                        planned.size.at(1), planned.size.at(2), planned.spacing.at(0),
                        planned.spacing.at(1), planned.spacing.at(2));
    for (const std::string& doubt : quality.doubts)
        body += fmt::format("<p><b>{}</b></p>\n", htmlEscaped(doubt));
    body += figureTables(quality) + bullsEyes(quality) + pictures(planned, output);
    body += htmlHeading("Steps") + costTable(planned, output);
    body += fmt::format("<p>systole {}. {}</p>\n", programVersion(), researchOnly);
    return htmlPage(entry.id, pageStyle, body);
}

} // namespace systole
