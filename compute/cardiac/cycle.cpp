#include "compute/cardiac/cycle.h"

#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole::cardiac {
namespace {

/// The peak of one curve; curve(t) is a fraction, or NaN.
template <class Curve>
StrainPeak peakOf(const Curve& curve, int direction, int endSystole,
                  const std::vector<double>& times) {
    const double sign = direction == 2 ? 1 : -1;
    StrainPeak found;
    const auto frames = static_cast<int>(times.size());
    for (int t = 1; t < frames; ++t)
        if (sign * curve(t) > sign * curve(found.frame))
            found.frame = t;
    found.peak = curve(found.frame);
    found.atEndSystole = curve(endSystole);
    found.seconds = times[static_cast<std::size_t>(found.frame)];
    if (std::isnan(found.peak)) // a segment without voxels
        found.seconds = found.postSystolicIndex = std::numeric_limits<double>::quiet_NaN();
    else if (found.frame > endSystole && found.peak != 0)
        found.postSystolicIndex = 100 * (found.peak - found.atEndSystole) / found.peak;
    return found;
}

CavityVolumes ejected(const CavityVolumes& before, const CavityVolumes& after) {
    const auto percent = [](double v0, double v1) {
        return v0 > 0 && v1 >= 0 ? 100 * (v0 - v1) / v0 : std::numeric_limits<double>::quiet_NaN();
    };
    return {percent(before.voxels, after.voxels), percent(before.surface, after.surface),
            percent(before.midWall, after.midWall)};
}

double deviationOfTimes(const std::vector<std::array<StrainPeak, 3>>& segments,
                        std::size_t direction) {
    double count = 0, sum = 0, squares = 0;
    for (const auto& segment : segments)
        if (const StrainPeak& peak = segment[direction]; !std::isnan(peak.peak)) {
            ++count;
            sum += peak.seconds;
            squares += peak.seconds * peak.seconds;
        }
    // The variance is below 0 by rounding only; no number where times are unknown or segments too
    // few.
    const double variance = (squares - sum * sum / count) / (count - 1);
    return std::sqrt(variance < 0 ? 0 : variance);
}

} // namespace

CycleSummary summaryOf(const Measures& measures, const VentricleMotion& motion,
                       std::optional<int> endSystole) {
    const std::vector<FrameMeasures>& frames = measures.frames;
    if (endSystole && (*endSystole < 0 || *endSystole >= static_cast<int>(frames.size())))
        throw ComputeError(
            fmt::format("end systole is frame {} of {}", *endSystole, frames.size()));
    CycleSummary summary;
    summary.endSystole = endSystole.value_or(static_cast<int>(
        std::ranges::min_element(frames, {},
                                 [](const FrameMeasures& frame) { return frame.cavity.midWall; }) -
        frames.begin()));
    summary.endDiastolic = frames.front().cavity;
    summary.endSystolic = frames[static_cast<std::size_t>(summary.endSystole)].cavity;
    summary.ejectionPercent = ejected(summary.endDiastolic, summary.endSystolic);
    summary.segments.resize(measures.segmentVoxels.size());
    for (int k = 0; k < 3; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto frameAt = [&](int t) -> const FrameMeasures& {
            return frames[static_cast<std::size_t>(t)];
        };
        summary.global[at] = peakOf([&](int t) { return frameAt(t).strain[k]; }, k,
                                    summary.endSystole, motion.timeSeconds);
        for (std::size_t s = 0; s < summary.segments.size(); ++s)
            summary.segments[s][at] =
                peakOf([&](int t) { return frameAt(t).segments[s].strain[k]; }, k,
                       summary.endSystole, motion.timeSeconds);
        summary.dispersionSeconds[at] = deviationOfTimes(summary.segments, at);
    }
    return summary;
}

} // namespace systole::cardiac
