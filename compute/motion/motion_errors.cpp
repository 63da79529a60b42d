#include "compute/motion/motion_errors.h"

#include "compute/core/motion_start.h"
#include "compute/methods/clg/errors.h"
#include "compute/ops/on_host.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr double neighborhood = 4; ///< sigma, smallest spacings

MotionInput inputOf(const MotionErrors& errors, const Volume& fixed, const Volume& moving) {
    MotionInput input = motionInput(fixed, moving, errors.scale);
    if (errors.incompressibility)
        input.incompressibility = errors.incompressibility->view();
    return input;
}

/// Length of the longest displacement, mm.
double longestOf(const Geometry& grid, FieldView<const float> displacement) {
    double longest = 0;
    for (std::size_t i = 0; i < displacement.size.voxels(); ++i)
        longest = std::max(longest, length(grid.voxelVectorToPhysical(vectorOf(displacement, i))));
    return longest;
}

VectorField standardErrorOf(const FrameResult& result, const ExecContext& ctx) {
    return standardError(result.errors->draw,
                         inputOf(*result.errors, *result.fixed, *result.moving),
                         result.field->geometry, result.field->view(), usualDraws, ctx);
}

} // namespace

DrawErrors errorsOf(const MotionMethod& method, const ParamSet& parameters) {
    if (method.parameters != &clgParameterTable())
        return {};
    return
        [p = ClgParameters::from(parameters)](const auto&... asked) { drawClgErrors(p, asked...); };
}

std::string estimatesNoErrors(const MotionMethod& method) {
    return fmt::format("the method {} doesn't estimate its errors; clg does", method.name);
}

VectorField standardError(const DrawErrors& errors, const MotionInput& input, const Geometry& grid,
                          FieldView<const float> displacement, int draws, const ExecContext& ctx) {
    VectorField mean = fieldAtRest(grid, *ctx.pool, "standard error");
    const FieldView<float> squares = mean.view();
    const std::size_t values = 3 * squares.size.voxels();
    constexpr int chunk = 1 << 16;
    errors(
        input, displacement, draws,
        [&](FieldView<const float> draw) {
            overItems(values, chunk, ctx, [&](std::size_t i) {
                squares.u[i] += draw.u[i] * draw.u[i] / static_cast<float>(draws);
            });
        },
        ctx);
    const Vec3 spacing = grid.spacing();
    const double smallest = std::min({spacing.x, spacing.y, spacing.z});
    const Vec3 sigma{neighborhood * smallest / spacing.x, neighborhood * smallest / spacing.y,
                     neighborhood * smallest / spacing.z};
    OnHost::smooth(squares, sigma, {}, "standard error", ctx);
    const double most = std::max(longestOf(grid, displacement), smallest);
    for (int k = 0; k < 3; ++k) {
        const auto limit = static_cast<float>(most / spacing[k]);
        float* const errorAlong = squares.component(k);
        overItems(values / 3, chunk, ctx, [&](std::size_t i) {
            errorAlong[i] = std::min(std::sqrt(errorAlong[i]), limit);
        });
    }
    return mean;
}

void drawErrors(const FrameResult& result, int draws,
                const std::function<void(const MillimeterField&)>& take, const ExecContext& ctx) {
    drawErrors(*result.errors, *result.fixed, *result.moving, *result.field, draws, take, ctx);
}

void drawErrors(const MotionErrors& errors, const Volume& fixed, const Volume& moving,
                const VectorField& field, int draws,
                const std::function<void(const MillimeterField&)>& take, const ExecContext& ctx) {
    VectorField drawn(field.geometry, *ctx.pool, "draw of the motion's error");
    errors.draw(
        inputOf(errors, fixed, moving), field.view(), draws,
        [&](FieldView<const float> draw) {
            copy(draw, drawn.view());
            take(toMillimeters(drawn, *ctx.pool));
        },
        ctx);
}

MillimeterField standardErrorMillimeters(const FrameResult& result, const ExecContext& ctx) {
    const VectorField error = standardErrorOf(result, ctx);
    const FieldView<const float> in = error.view();
    const Vec3 spacing = error.geometry.spacing();
    MillimeterField out{error.geometry,
                        ctx.pool->acquire<float>(3 * in.size.voxels(), "standard error in mm")};
    for (std::size_t i = 0; i < in.size.voxels(); ++i)
        for (int k = 0; k < 3; ++k)
            out.vectors.data()[3 * i + static_cast<std::size_t>(k)] =
                static_cast<float>(spacing[k]) * in.component(k)[i];
    return out;
}

void addStandardError(FrameResult& result, const ExecContext& ctx) {
    if (result.errors && result.field)
        result.standardError = std::make_shared<const VectorField>(standardErrorOf(result, ctx));
}

} // namespace systole
