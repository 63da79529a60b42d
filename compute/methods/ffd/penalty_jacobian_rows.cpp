#include "compute/methods/ffd/penalty_jacobian_rows.h"

#include <algorithm>

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/methods/ffd/penalty_jacobian_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

/// Formulas of a header have the instructions of where they are inlined.
#define SYSTOLE_INLINED __attribute__((flatten))

SYSTOLE_INLINED double Stresses(const JacobianLayer& layer, FieldView<const float> points, int ty,
                                int tz) {
    double sum = 0;
    for (int tx = 0; tx < layer.tiles.x; ++tx) {
        jacobian::Matrix<float> m[jacobian::points]{};
        for (int c = 0; c < 3; ++c) {
            const VolumeView<const float> values = points.componentView(c);
            float along[jacobian::points][3];
            jacobian::derivativesOf(
                [&](int l, int k, int z) { return values(tx + l, ty + k, tz + z); }, layer.perTile,
                along);
            for (int p = 0; p < jacobian::points; ++p)
                for (int axis = 0; axis < 3; ++axis)
                    m[p].of[c][axis] = along[p][axis] + (c == axis ? 1.0f : 0.0f);
        }
        for (auto& point : m)
            sum += onSumGrid(static_cast<double>(point.toStress(layer.share)), jacobian::sumUnit);
        for (int c = 0; c < 3 && layer.stresses; ++c)
            for (int p = 0; p < jacobian::points; ++p)
                std::copy_n(m[p].of[c], 3, layer.stressesOf(tx, ty, c) + 3 * p);
    }
    return sum;
}

SYSTOLE_INLINED void Gather(const JacobianLayer& layer, int y, float* const (&open)[4][3]) {
    for (int x = 0; x < layer.n.x; ++x)
        for (int c = 0; c < 3; ++c)
            for (int m = 0; m < 4; ++m)
                for (int l = 0; l < 4; ++l) {
                    const int tx = x - l, ty = y - m;
                    if (tx < 0 || tx >= layer.tiles.x || ty < 0 || ty >= layer.tiles.y)
                        continue;
                    const float* const stress = layer.stressesOf(tx, ty, c);
                    jacobian::gatherColumn(
                        l, m, layer.perTile, [&](int p, int axis) { return stress[3 * p + axis]; },
                        [&](int plane, float value) { open[plane][c][x] += value; });
                }
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(Stresses);
HWY_EXPORT(Gather);

double jacobianStresses(const JacobianLayer& layer, FieldView<const float> points, int ty, int tz) {
    return HWY_DYNAMIC_DISPATCH(Stresses)(layer, points, ty, tz);
}
void gatherJacobian(const JacobianLayer& layer, int y, float* const (&open)[4][3]) {
    HWY_DYNAMIC_DISPATCH(Gather)(layer, y, open);
}

} // namespace systole::rows
#endif
