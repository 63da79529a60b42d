#include "app/features/cardiac/cycle_gap.h"

#include <fmt/format.h>

#include <cmath>

namespace systole {

Beat beatOf(std::span<const double> seconds) {
    const auto count = static_cast<double>(seconds.size());
    return {static_cast<int>(seconds.size()),
            seconds.size() < 2 ? std::numeric_limits<double>::quiet_NaN()
                               : (seconds.back() - seconds.front()) * count / (count - 1)};
}

double gapPart(const Beat& beat, const cardiac::VentricleMotion& motion, std::size_t place) {
    const double byTime = motion.timeSeconds[place] / beat.seconds;
    return std::isfinite(byTime)
               ? byTime
               : static_cast<double>(motion.frame[place] - motion.frame.front()) / beat.frames;
}

void closeGap(const cardiac::CycleGap& gap, const Beat& beat, cardiac::VentricleMotion& motion) {
    for (std::size_t t = 0; t < motion.frame.size(); ++t) {
        const double part = gapPart(beat, motion, t);
        cardiac::takeOff(gap.wall, part, motion.wall[t]);
        cardiac::takeOff(gap.cavity, part, motion.cavity[t]);
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

} // namespace systole
