#include "compute/methods/clg/error_draw.h"

#include "compute/core/random.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/smooth.h"
#include "compute/ops/smooth_halved.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace systole::clg {

namespace {

/// Factor by which a mean with these weights changes the variance of independent values.
double remainingVariance(const TapsOfAxes& taps) {
    double variance = 1;
    for (const std::vector<float>& axis : taps) {
        double squares = 0;
        for (const float tap : axis)
            squares += static_cast<double>(tap) * static_cast<double>(tap);
        variance *= squares;
    }
    return variance;
}

/// Weights of mean 0 and variance 1, alike within the width.
void drawWeights(const ClgSystem& system, double width, std::uint64_t number, VolumeView<float> out,
                 const ExecContext& ctx) {
    const TapsOfAxes taps = tapsOfAxes({width * static_cast<double>(system.scale[0]),
                                        width * static_cast<double>(system.scale[1]),
                                        width * static_cast<double>(system.scale[2])});
    const auto factor = static_cast<float>(1 / std::sqrt(remainingVariance(taps)));
    overRows(out.size, ctx, [&](int y, int z) {
        for (int x = 0; x < out.size.x; ++x) {
            const std::size_t i = out.offset(x, y, z);
            out.data[i] = factor * normalPair(randomBits(number, 1, i)).first;
        }
    });
    if (width > 0)
        smoothBy(taps, out, out, ctx);
}

/// b = K (weights · gradient)
void setRightHandSide(const SolvedSystem& solved, VolumeView<const float> weights,
                      const ExecContext& ctx) {
    for (int k = 0; k < 3; ++k) {
        ctx.throwIfCancelled();
        const VolumeView<float> to = solved.system.coefficient[static_cast<std::size_t>(6 + k)];
        const VolumeView<const float> gradient = solved.gradient.componentView(k);
        overRows(to.size, ctx, [&](int y, int z) {
            std::transform(gradient.row(y, z), gradient.row(y, z) + to.size.x, weights.row(y, z),
                           to.row(y, z), std::multiplies<>());
        });
        smoothHalved(
            to, solved.sigma,
            [&](VolumeView<float> v, Vec3 left) { smoothGaussian(v, v, left, ctx); }, ctx);
    }
}

} // namespace

void drawError(const SolvedSystem& solved, double width, std::uint64_t number, FieldView<float> out,
               const ExecContext& ctx) {
    const Size3 size = solved.system.size();
    Buffer<float> memory = ctx.pool->acquire<float>(size.voxels(), "weights of a draw");
    const VolumeView<float> weights(memory.data(), size);
    drawWeights(solved.system, width, number, weights, ctx);
    setRightHandSide(solved, weights, ctx);
    std::fill_n(out.u, 3 * size.voxels(), 0.0f);
    constexpr SolveOptions options{ClgSolver::RedBlack, 40, 0, 1.8};
    solveClg(solved.system, out, options, ctx);
}

} // namespace systole::clg
