#include "app/features/cardiac/strain_figures.h"

#include "app/features/cardiac/bulls_eye.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {
namespace {

using cardiac::FrameMeasures;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct FrameRow {
    const char *name, *unit;
    int decimals;
    double (*value)(const FrameMeasures&);
};

const FrameRow frameRows[] = {
    {"cavity", "ml", 1, [](const FrameMeasures& f) { return f.cavity.midWall; }},
    {"cavity, surface", "ml", 1, [](const FrameMeasures& f) { return f.cavity.surface; }},
    {"cavity, voxels", "ml", 1, [](const FrameMeasures& f) { return f.cavity.voxels; }},
    {"GLS", "%", 1, [](const FrameMeasures& f) { return 100 * f.strain.longitudinal; }},
    {"GCS", "%", 1, [](const FrameMeasures& f) { return 100 * f.strain.circumferential; }},
    {"GRS", "%", 1, [](const FrameMeasures& f) { return 100 * f.strain.radial; }},
    {"twist", "°", 1, [](const FrameMeasures& f) { return f.rotation.twist; }},
    {"torsion", "°/cm", 2, [](const FrameMeasures& f) { return f.rotation.torsionPerCm; }},
    {"torsion, shear", "°", 1, [](const FrameMeasures& f) { return f.rotation.torsionShear; }},
    {"wall", "ml", 1, [](const FrameMeasures& f) { return f.wallMilliliters; }},
    {"mean J", "", 3, [](const FrameMeasures& f) { return f.volume.mean; }},
    {"SD of J", "", 3, [](const FrameMeasures& f) { return f.volume.deviation; }},
    {"|J - 1| > 0.05", "%", 1, [](const FrameMeasures& f) { return f.volume.percentBeyond5; }},
    {"J ≤ 0", "%", 2, [](const FrameMeasures& f) { return f.volume.percentFolded; }},
};

} // namespace

TimeAxis::TimeAxis(const StrainOutcome& outcome) {
    const std::vector<double>& seconds = outcome.motion.timeSeconds;
    known = std::ranges::all_of(seconds, [](double s) { return std::isfinite(s); });
    const std::vector<int>& frame = outcome.motion.frame;
    for (std::size_t t = 0; t < seconds.size(); ++t)
        values.push_back(known                      ? 1e3 * seconds[t]
                         : frame[t] < frame.front() ? frame[t] + outcome.beat.frames
                                                    : frame[t]);
}

std::vector<FrameFigure> frameFigures(const StrainOutcome& outcome, std::size_t t) {
    const auto& frames = outcome.measures.frames;
    const FrameMeasures &diastole = frames.front(),
                        &systole = frames[static_cast<std::size_t>(outcome.summary.endSystole)];
    const cardiac::CavityVolumes &whole = diastole.cavity, &now = frames[t].cavity,
                                 &ejected = outcome.summary.ejectionPercent;
    std::vector<FrameFigure> figures{
        {"EF, mid-wall", "%", 1, none, ejected.midWall, 100 * (1 - now.midWall / whole.midWall)},
        {"EF, voxels", "%", 1, none, ejected.voxels, 100 * (1 - now.voxels / whole.voxels)}};
    for (const FrameRow& row : frameRows)
        figures.push_back({row.name, row.unit, row.decimals, row.value(diastole),
                           row.value(systole), row.value(frames[t])});
    figures.push_back({"mass of the wall", "g", 0, outcome.measures.wallGrams, none, none});
    return figures;
}

std::vector<CycleFigure> cycleFigures(const StrainOutcome& outcome) {
    std::vector<CycleFigure> figures{{"at end systole", "%", 1, {}},
                                     {"peak", "%", 1, {}},
                                     {"time to peak", "ms", 0, {}},
                                     {"post-syst. index", "%", 1, {}},
                                     {"SD of times", "ms", 0, {}}};
    for (std::size_t k = 0; k < 3; ++k) {
        const cardiac::StrainPeak& peak = outcome.summary.global[k];
        figures[0].value[k] = 100 * peak.atEndSystole;
        figures[1].value[k] = 100 * peak.peak;
        figures[2].value[k] = 1e3 * peak.seconds;
        figures[3].value[k] = peak.postSystolicIndex;
        figures[4].value[k] = 1e3 * outcome.summary.dispersionSeconds[k];
    }
    return figures;
}

std::string figuresText(const StrainOutcome& outcome, std::size_t t, cardiac::AhaModel model) {
    const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
    const std::vector<int>& frame = outcome.motion.frame;
    std::string text = fmt::format("{}\nmeasure\tunit\tED, frame {}\tES, frame {}\tframe {}\n",
                                   researchOnly, frame.front(), frame[es], frame[t]);
    for (const FrameFigure& row : frameFigures(outcome, t))
        text += fmt::format(
            "{}\t{}\t{}\t{}\t{}\n", row.name, row.unit, figureText(row.diastole, row.decimals),
            figureText(row.systole, row.decimals), figureText(row.now, row.decimals));
    text += "measure\tunit\tlongitudinal\tcircumferential\tradial\n";
    for (const CycleFigure& row : cycleFigures(outcome))
        text += fmt::format(
            "{}\t{}\t{}\t{}\t{}\n", row.name, row.unit, figureText(row.value[0], row.decimals),
            figureText(row.value[1], row.decimals), figureText(row.value[2], row.decimals));
    text += "segment at ES";
    for (const BullsEyeQuantity& quantity : bullsEyeQuantities())
        text += fmt::format("\t{}, {}", quantity.title, quantity.unit);
    for (std::size_t s = 0; s < outcome.measures.segmentVoxels.size(); ++s) {
        text += fmt::format("\n{} {}", s + 1, cardiac::ahaNames(model)[s]);
        for (const BullsEyeQuantity& quantity : bullsEyeQuantities())
            text += "\t" + figureText(quantity.value(outcome, es, s), 1);
    }
    return text + "\n";
}

} // namespace systole
