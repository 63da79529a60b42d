#include "compute/methods/unbiased/steps.h"
#include "compute/ops/over_voxels.h"

#include <cmath>

namespace systole::unbiased {
namespace {

float logarithm(float value) { return std::log(value); }

void store(FieldView<float> out, std::size_t i, const Vector& value) {
    out.u[i] = value.v[0];
    out.v[i] = value.v[1];
    out.w[i] = value.v[2];
}

} // namespace

Check forceReference(const Frames& frames, FieldView<const float> w, const ForceRule& rule,
                     FieldView<float> out, const ExecContext& ctx) {
    const Size3 size = w.size;
    const double energy = sumOverVoxels(size, ctx, [&](int x, int y, int z) {
        const DataTerm data = dataTerm(frames.fixed, frames.moving, w, x, y, z);
        const Vector regular = regularizerForce(w, x, y, z, logarithm);
        const Deformation m = deformationAt(w, x, y, z);
        Vector f{};
        for (int i = 0; i < 3; ++i)
            f.v[i] = data.force.v[i] + rule.lambda * regular.v[i];
        store(out, frames.fixed.offset(x, y, z), bodyForce(m, f, rule));
        const float determinant = boundedDeterminant(m.determinant());
        return static_cast<double>(data.energy +
                                   rule.lambda * distanceOf(determinant, logarithm(determinant)));
    });
    const double folded = sumOverVoxels(size, ctx, [&](int x, int y, int z) {
        return deformationAt(w, x, y, z).determinant() >= leastDeterminant ? 0.0 : 1.0;
    });
    return {energy / static_cast<double>(size.voxels()), folded};
}

float transportReference(FieldView<const float> w, FieldView<const float> force, float momentum,
                         FieldView<float> velocity, const float (&scale)[3], FieldView<float> out,
                         const ExecContext& ctx) {
    return std::sqrt(static_cast<float>(largestOverVoxels(w.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = w.componentView(0).offset(x, y, z);
        Vector v{{force.u[i], force.v[i], force.w[i]}};
        if (momentum > 0)
            for (int k = 0; k < 3; ++k)
                v.v[k] += momentum * velocity.component(k)[i];
        store(velocity, i, v);
        const Vector step = transported(deformationAt(w, x, y, z), v);
        store(out, i, step);
        return static_cast<double>(squaredLength(step, scale));
    })));
}

} // namespace systole::unbiased
