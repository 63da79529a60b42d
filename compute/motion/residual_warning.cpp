#include "compute/motion/residual_warning.h"

#include "compute/ops/residual.h"

#include <fmt/format.h>

namespace systole {

std::string residualWarning(const FrameResult& result, const IntensityScale& scale) {
    if (contrastIsInverted(result.residual))
        return fmt::format(
            "frames {} and {} have opposite contrast (correlation {:.2f}): the "
            "motion between them means nothing; clg with --features self-similarity and "
            "ffd with --preset nmi match frames of different contrast",
            result.fixedFrame, result.movingFrame, result.residual.correlation);
    const double range = static_cast<double>(scale.high) - static_cast<double>(scale.low);
    if (!residualStays(result.residual, range))
        return {};
    return fmt::format("the motion from frame {} to {} doesn't bring the frames closer (mean "
                       "squared difference {:.4g} before, {:.4g} after): they probably differ in "
                       "contrast or content, not only by motion",
                       result.fixedFrame, result.movingFrame, result.residual.before,
                       result.residual.after);
}

} // namespace systole
