#include "app/features/cardiac/ejection_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {
namespace {

constexpr double maxDifference = 5; ///< points between labels of each frame and carried ones

double percentOf(double largest, double smallest) {
    return largest > 0 ? 100 * (1 - smallest / largest) : std::numeric_limits<double>::quiet_NaN();
}

EjectionWay ofFound(std::span<const VolumeInFrame> found) {
    const auto [least, most] = std::ranges::minmax(found, {}, &VolumeInFrame::milliliters);
    return {fmt::format("labels of each frame ({})", found.size()),
            percentOf(most.milliliters, least.milliliters),
            most.frame,
            least.frame,
            most.milliliters,
            least.milliliters,
            "The labels that the Segment panel has in each frame, by voxels: no motion is needed. "
            "With labels of only some frames, the largest and the smallest of these."};
}

} // namespace

std::vector<EjectionWay> ejectionWays(const StrainOutcome& outcome, const std::string& method,
                                      std::span<const VolumeInFrame> found) {
    const cardiac::CycleSummary& summary = outcome.summary;
    const int diastole = outcome.motion.frame.front(),
              systole = outcome.motion.frame[static_cast<std::size_t>(summary.endSystole)];
    const auto carried = [&](const char* volume, double cardiac::CavityVolumes::*of,
                             const char* meaning) {
        return EjectionWay{fmt::format("carried by {}, {}", method, volume),
                           summary.ejectionPercent.*of,
                           diastole,
                           systole,
                           summary.endDiastolic.*of,
                           summary.endSystolic.*of,
                           meaning};
    };
    std::vector<EjectionWay> ways{
        carried("mid-wall", &cardiac::CavityVolumes::midWall,
                "The middle of the wall carried by the motion; what it encloses, less the muscle "
                "within it, which keeps its volume. It needs no motion at the cavity's border, "
                "where estimated motion is weakest."),
        carried("surface", &cardiac::CavityVolumes::surface,
                "The cavity's border carried by the motion; what it encloses."),
        carried(
            "voxels", &cardiac::CavityVolumes::voxels,
            "The cavity's voxels, each carried by the motion: by the motion found in the blood, "
            "which is no tissue, and at its border, where it is smoothed most.")};
    if (found.size() > 1)
        ways.push_back(ofFound(found));
    return ways;
}

std::string ejectionDoubt(const StrainOutcome& outcome, std::span<const VolumeInFrame> found) {
    const double carried = outcome.summary.ejectionPercent.midWall;
    if (found.size() < 2 || !std::isfinite(carried) || outcome.motion.frame.size() < 2)
        return "";
    const EjectionWay own = ofFound(found);
    const double apart = own.percent - carried;
    if (!(std::abs(apart) > maxDifference))
        return "";
    // The frame in which both volumes are farthest apart.
    double most = -1;
    int frame = own.systole;
    for (std::size_t t = 0; t < outcome.motion.frame.size(); ++t)
        for (const VolumeInFrame& one : found)
            if (const double difference =
                    std::abs(one.milliliters - outcome.measures.frames[t].cavity.midWall);
                one.frame == outcome.motion.frame[t] && difference > most) {
                most = difference;
                frame = one.frame;
            }
    return fmt::format(
        "The labels found in each frame give an ejection fraction of {:.1f} %, the carried wall "
        "{:.1f} %: {:.1f} points apart. {} Compare both in frame {}{}.",
        own.percent, carried, std::abs(apart),
        apart > 0 ? "Motion that is smoothed moves the wall too little, or the labels of end "
                    "systole leave blood out."
                  : "The labels don't follow the wall in every frame, or the motion carries it too "
                    "far.",
        frame, most >= 0 ? fmt::format(", where they are {:.1f} ml apart", most) : "");
}

std::optional<int> systoleOf(std::span<const VolumeInFrame> found) {
    return found.size() > 1 ? std::optional(ofFound(found).systole) : std::nullopt;
}

} // namespace systole
