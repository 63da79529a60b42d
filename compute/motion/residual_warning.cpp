#include "compute/motion/residual_warning.h"

#include "compute/ops/residual.h"

#include <fmt/format.h>

namespace systole {

namespace {

/// "smoothness (alpha) is 11420, by default 0.3": numbers that differ from their default more than
/// twentyfold.
std::string farFromDefault(const ParamSet& parameters) {
    constexpr double far = 20;
    std::string list;
    for (const ParamRow& row : parameters.table().rows()) {
        if (row.type != ParamType::Real)
            continue;
        const double value = parameters.real(row.id), usual = std::get<double>(row.defaultValue);
        if (usual > 0 && (value > far * usual || value < usual / far))
            list += fmt::format("{}{} is {}, by default {}", list.empty() ? "" : "; ",
                                row.labelWithId(), plainNumber(value), plainNumber(usual));
    }
    return list;
}

} // namespace

std::string residualWarning(const FrameResult& result, const IntensityScale& scale,
                            const ParamSet* parameters) {
    if (contrastIsInverted(result.residual))
        return fmt::format(
            "frames {} and {} have opposite contrast (correlation {:.2f}): the "
            "motion between them means nothing; clg with --features self-similarity and "
            "ffd with --preset nmi match frames of different contrast",
            result.fixedFrame, result.movingFrame, result.residual.correlation);
    const double range = static_cast<double>(scale.high) - static_cast<double>(scale.low);
    if (!residualStays(result.residual, range))
        return {};
    const std::string changed = parameters ? farFromDefault(*parameters) : std::string();
    return fmt::format(
        "the motion from frame {} to {} doesn't bring the frames closer (mean "
        "squared difference {:.4g} before, {:.4g} after): {}",
        result.fixedFrame, result.movingFrame, result.residual.before, result.residual.after,
        changed.empty() ? "they probably differ in contrast or content, not only by motion"
                        : "probably because " + changed);
}

} // namespace systole
