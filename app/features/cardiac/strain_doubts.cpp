#include "app/features/cardiac/strain_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace systole {
namespace {

constexpr double maxDrift = 10;     ///< percent of the wall's volume
constexpr double maxFolded = 1;     ///< percent of the wall's voxels
constexpr double maxCut = 0.02;     ///< fraction of the cavity's labels
constexpr double maxDifference = 5; ///< points between two ways to the ejection fraction

} // namespace

std::vector<std::string> strainDoubts(const StrainOutcome& outcome,
                                      std::span<const VolumeInFrame> found,
                                      std::span<const std::string> ofLabels) {
    std::vector<std::string> doubts;
    const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
    if (es == 0 && outcome.motion.frame.size() > 1)
        doubts.push_back(fmt::format(
            "The cavity is nowhere smaller than in frame {}: that isn't end diastole, or the "
            "motion leads the other way.",
            outcome.motion.frame.front()));
    if (const int filled = outcome.measures.linesFilled; filled > 0)
        doubts.push_back(fmt::format(
            "In {:.1f} % of places no line leads through the wall, because its labels have a hole "
            "or end there: they go with their neighbors.",
            100.0 * filled / (cardiac::Shell::rows * cardiac::Shell::columns)));
    const double labels = outcome.ventricle->labelledCavityMilliliters,
                 measured = outcome.ventricle->cavity.voxelMilliliters() *
                            static_cast<double>(outcome.ventricle->cavity.count());
    if (measured < (1 - maxCut) * labels)
        doubts.push_back(fmt::format(
            "Of the {:.1f} ml that the labels call cavity, {:.1f} are measured; the rest lies "
            "beyond the end of the wall at the apex, or apart.",
            labels, measured));
    const cardiac::Incompressibility& wall = outcome.measures.frames[es].volume;
    if (std::abs(wall.driftPercent) > maxDrift)
        doubts.push_back(fmt::format("The wall's volume changes by {:+.0f} % until end systole, "
                                     "which muscle doesn't do: doubt the motion.",
                                     wall.driftPercent));
    if (wall.percentFolded > maxFolded)
        doubts.push_back(fmt::format("The motion folds {:.0f} % of the wall at end systole.",
                                     wall.percentFolded));
    const cardiac::CavityVolumes& ejection = outcome.summary.ejectionPercent;
    if (std::isnan(ejection.midWall))
        doubts.push_back(fmt::format(
            "By mid-wall the cavity has {:.1f} ml at end diastole and {:.1f} ml at end systole, "
            "which can't be: wall and motion don't fit together, and there is no ejection "
            "fraction.",
            outcome.summary.endDiastolic.midWall, outcome.summary.endSystolic.midWall));
    if (std::abs(ejection.midWall - ejection.voxels) > maxDifference)
        doubts.push_back(fmt::format(
            "The ejection fraction is {:.1f} % by mid-wall, which takes the wall to keep its "
            "volume, and {:.1f} % by the cavity's voxels: the motion is weak at the endocardium, "
            "or the wall's labels are off.",
            ejection.midWall, ejection.voxels));
    doubts.push_back(ejectionDoubt(outcome, found));
    std::ranges::copy(ofLabels, std::back_inserter(doubts));
    std::erase(doubts, "");
    return doubts;
}

std::string whyNoStrainMap(const StrainOutcome& outcome, int frame) {
    const std::vector<int>& frames = outcome.motion.frame;
    if (std::ranges::find(frames, frame) == frames.end())
        return fmt::format("Frame {} isn't measured yet, and has no map of strain.", frame);
    if (frame != frames.front())
        return {};
    return fmt::format(
        "Frame {} is end diastole: strain is zero, without a map. End systole: frame {}.", frame,
        frames[static_cast<std::size_t>(outcome.summary.endSystole)]);
}

} // namespace systole
