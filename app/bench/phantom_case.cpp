#include "app/bench/phantom_case.h"

#include "compute/ops/reduce.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {
constexpr std::uint8_t wallLabel = 1;
}

std::vector<PhantomCase> phantomCases(Size3 size, std::uint64_t seed) {
    PhantomOptions echo = phantomPair(size);
    echo.seed = seed;
    PhantomOptions hard = echo;
    hard.amplitudeCorrelation = 0.8;
    hard.multiplicativeNoise = 0.3;
    PhantomOptions small = hard;
    small.motionScale = 0.25;
    PhantomOptions ct = echo;
    ct.look = PhantomLook::Ct;
    PhantomOptions slices = ct;
    slices.planesPerSlice = 8;
    slices.size.z = std::max(1, size.z / slices.planesPerSlice);
    return {{"echo", "echo", echo},
            {"hard", "echo, decorrelated and noisy", hard},
            {"small", "a quarter of the motion, that noise", small},
            {"CT", "CT look: faint texture, noise", ct},
            {"slices", "CT look in slices of eight planes", slices}};
}

PhantomPair::PhantomPair(const PhantomCase& which, const ExecContext& ctx)
    : phantom(which.options)
    , fixed(phantom.geometry(), *ctx.pool, "phantom, fixed")
    , moving(phantom.geometry(), *ctx.pool, "phantom, moving")
    , truth(phantom.truth(0, 1, ctx))
    , labels(phantom.labels(0, ctx)) {
    phantom.image(0, fixed.view(), ctx);
    phantom.image(1, moving.view(), ctx);
    const std::vector<float> first = quantiles(fixed.view(), {0.01, 0.99});
    const std::vector<float> second = quantiles(moving.view(), {0.01, 0.99});
    scale = {0.5f * (first[0] + second[0]), 0.5f * (first[1] + second[1])};
}

MotionInput PhantomPair::input() const {
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    input.spacing = phantom.geometry().spacing();
    input.scale = scale;
    return input;
}

WallError wallError(const PhantomPair& pair, FieldView<const float> field) {
    const FieldView<const float> t = pair.truth.view();
    const Size3 size = field.size;
    const Vec3 spacing = pair.phantom.geometry().spacing();
    const double smallest = std::min({spacing.x, spacing.y, spacing.z});
    const double sx = spacing.x / smallest, sy = spacing.y / smallest, sz = spacing.z / smallest;
    WallError result;
    std::vector<double> errors;
    double inner = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = field.componentView(0).offset(x, y, z);
                if (pair.labels[i] != wallLabel)
                    continue;
                errors.push_back(std::hypot(sx * static_cast<double>(field.u[i] - t.u[i]),
                                            sy * static_cast<double>(field.v[i] - t.v[i]),
                                            sz * static_cast<double>(field.w[i] - t.w[i])));
                result.mean += errors.back();
                result.motion +=
                    std::hypot(sx * static_cast<double>(t.u[i]), sy * static_cast<double>(t.v[i]),
                               sz * static_cast<double>(t.w[i]));
                if (x > 0 && y > 0 && z > 0 && x < size.x - 1 && y < size.y - 1 && z < size.z - 1) {
                    result.volumeChange += std::abs(jacobianDeterminant(field, x, y, z) - 1);
                    ++inner;
                }
            }
    const auto count = static_cast<double>(errors.size());
    result.mean /= count;
    result.motion /= count;
    result.volumeChange /= std::max(1.0, inner);
    const auto rank = static_cast<std::ptrdiff_t>(0.95 * (count - 1));
    std::nth_element(errors.begin(), errors.begin() + rank, errors.end());
    result.percentile95 = errors[static_cast<std::size_t>(rank)];
    return result;
}

} // namespace systole
