#include "compute/motion/residual_warning.h"

#include "compute/ops/residual.h"

#include <fmt/format.h>

#include <vector>

namespace systole {

namespace {

/// Rows of numbers that differ from their default more than twentyfold.
std::vector<const ParamRow*> farFromDefault(const ParamSet& parameters) {
    constexpr double far = 20;
    std::vector<const ParamRow*> rows;
    for (const ParamRow& row : parameters.table().rows()) {
        if (row.type != ParamType::Real)
            continue;
        const double value = parameters.real(row.id), usual = std::get<double>(row.defaultValue);
        if (usual > 0 && (value > far * usual || value < usual / far))
            rows.push_back(&row);
    }
    return rows;
}

/// Default parameters remove 54 to 67 % of the difference of the bundled heart, twentyfold
/// smoothness 20 to 29 %, a hundredfold one 0 to 8 %.
constexpr double minRemoved = 0.1;

/// The numbers that leave hardly any motion, each far from its default.
std::vector<const ParamRow*> hindrances(const ResidualChange& change, double grayRange,
                                        const ParamSet& parameters) {
    return residualStays(change, grayRange, minRemoved) ? farFromDefault(parameters)
                                                        : std::vector<const ParamRow*>();
}

double rangeOf(const IntensityScale& scale) {
    return static_cast<double>(scale.high) - static_cast<double>(scale.low);
}

} // namespace

std::string hindranceOf(const FrameResult& result, const IntensityScale& scale,
                        const ParamSet& parameters) {
    std::string list;
    for (const ParamRow* row : hindrances(result.residual, rangeOf(scale), parameters))
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", row->label(),
                            plainNumber(parameters.real(row->id)));
    return list;
}

std::string residualWarning(const FrameResult& result, const IntensityScale& scale,
                            const ParamSet* parameters) {
    if (contrastIsInverted(result.residual))
        return fmt::format(
            "frames {} and {} have opposite contrast (correlation {:.2f}): the "
            "motion between them means nothing; clg with --features self-similarity and "
            "ffd with --preset nmi match frames of different contrast",
            result.fixedFrame, result.movingFrame, result.residual.correlation);
    std::string cause;
    if (parameters)
        for (const ParamRow* row : hindrances(result.residual, rangeOf(scale), *parameters))
            cause += fmt::format("{}{} is {}, by default {}", cause.empty() ? "" : "; ",
                                 row->labelWithId(), plainNumber(parameters->real(row->id)),
                                 plainNumber(std::get<double>(row->defaultValue)));
    if (cause.empty() && !residualStays(result.residual, rangeOf(scale)))
        return {};
    return fmt::format(
        "the motion from frame {} to {} {} the frames closer (mean "
        "squared difference {:.4g} before, {:.4g} after): {}",
        result.fixedFrame, result.movingFrame, cause.empty() ? "doesn't bring" : "hardly brings",
        result.residual.before, result.residual.after,
        cause.empty() ? "they probably differ in contrast or content, not only by motion"
                      : "there is hardly any, probably because " + cause);
}

} // namespace systole
