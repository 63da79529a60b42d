#include "app/cardiac/cycle_gap.h"

#include "compute/core/points.h"
#include "compute/ops/sample_at.h"

#include <fmt/format.h>

#include <cmath>

namespace systole {
namespace {

void takeOff(const cardiac::Displacements& gap, double part, cardiac::Displacements& from) {
    for (std::size_t i = 0; i < from.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            from[i][k] -= static_cast<float>(part * static_cast<double>(gap[i][k]));
}

} // namespace

Beat beatOf(std::span<const double> seconds) {
    const auto count = static_cast<double>(seconds.size());
    return {static_cast<int>(seconds.size()),
            seconds.size() < 2 ? std::numeric_limits<double>::quiet_NaN()
                               : (seconds.back() - seconds.front()) * count / (count - 1)};
}

cardiac::Displacements followed(const cardiac::TissueVoxels& tissue,
                                const cardiac::Displacements& begun,
                                std::span<const std::shared_ptr<const FrameResult>> steps) {
    cardiac::Displacements all(tissue.count());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Vec3 from = tissue.position(i);
        Vec3 at = begun.empty() ? from : from + widened(begun[i]);
        for (const auto& step : steps) {
            const Geometry& grid = step->field->geometry;
            at = at + grid.voxelVectorToPhysical(
                          vectorAt(step->field->view(), grid.physicalToIndex(at)));
        }
        all[i] = narrowed(at - from);
    }
    return all;
}

void closeGap(const CycleGap& gap, const Beat& beat, cardiac::VentricleMotion& motion) {
    for (std::size_t t = 0; t < motion.frame.size(); ++t) {
        const double byTime = motion.timeSeconds[t] / beat.seconds,
                     part = std::isfinite(byTime)
                                ? byTime
                                : static_cast<double>(motion.frame[t] - motion.frame.front()) /
                                      beat.frames;
        takeOff(gap.wall, part, motion.wall[t]);
        takeOff(gap.cavity, part, motion.cavity[t]);
    }
}

std::string closureText(const CycleResidual& residual) {
    return fmt::format(
        "After the cycle the wall is {:.2f} mm from its place{}{}", residual.measured,
        std::isfinite(residual.steps)
            ? fmt::format(" ({:.2f} mm by steps from frame to frame)", residual.steps)
            : "",
        residual.closed ? "; 0 as measured, since that is taken off" : "");
}

double meanLength(const cardiac::Displacements& displacements) {
    double sum = 0;
    for (const auto& u : displacements)
        sum += length(widened(u));
    return sum / static_cast<double>(displacements.size());
}

} // namespace systole
