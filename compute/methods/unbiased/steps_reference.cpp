#include "compute/methods/unbiased/steps.h"
#include "compute/ops/over_voxels.h"

#include <cmath>

namespace systole::unbiased {
namespace {

void store(FieldView<float> out, std::size_t i, const Vector& value) {
    out.u[i] = value.v[0];
    out.v[i] = value.v[1];
    out.w[i] = value.v[2];
}

} // namespace

Check forceReference(const Frames& frames, FieldView<const float> w, const ForceRule& rule,
                     FieldView<float> out, const ExecContext& ctx) {
    const Size3 size = w.size;
    const double unit = energyUnit(size.voxels());
    const double energy = sumOverVoxels(size, ctx, [&](int x, int y, int z) {
        const std::size_t i = frames.fixed.offset(x, y, z);
        const Position p = displaced(w, i, x, y, z);
        const DataTerm data = dataTerm(rule.bothSides ? movingSampleBothSides(frames.moving, p)
                                                      : movingSample(frames.moving, p),
                                       frames.fixed.data[i], rule.noise);
        const Flux here(deformationAt(w, x, y, z));
        const Vector f = forceAt(w, x, y, z, here, data.force, rule.lambda);
        store(out, i, bodyForce(here.m, f, rule));
        return energyOf(data.energy, rule.lambda, here.distance, unit);
    });
    const double folded = sumOverVoxels(size, ctx, [&](int x, int y, int z) {
        return deformationAt(w, x, y, z).determinant() >= minDeterminant ? 0.0 : 1.0;
    });
    return {energy / static_cast<double>(size.voxels()), folded};
}

float transportReference(FieldView<const float> w, FieldView<const float> force, float momentum,
                         FieldView<float> velocity, const float (&scale)[3], FieldView<float> out,
                         const ExecContext& ctx) {
    const float inverse[3] = {1 / scale[0], 1 / scale[1], 1 / scale[2]};
    return std::sqrt(static_cast<float>(largestOverVoxels(w.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = w.componentView(0).offset(x, y, z);
        Vector v{{force.u[i], force.v[i], force.w[i]}};
        if (momentum > 0)
            for (int k = 0; k < 3; ++k)
                v.v[k] = fused(momentum, velocity.component(k)[i], v.v[k]);
        store(velocity, i, v);
        const Vector step = transported(deformationAt(w, x, y, z), v);
        store(out, i, step);
        return static_cast<double>(squaredLength(step, inverse));
    })));
}

} // namespace systole::unbiased
