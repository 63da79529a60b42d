#include "compute/cardiac/axis_strain_math.h"
#include "compute/ops/over_voxels.h"

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/cardiac/axis_strain_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

#ifndef SYSTOLE_AXIS_STRAIN_ROW
#define SYSTOLE_AXIS_STRAIN_ROW
namespace systole::rows {

/// A row of voxels: offsets from it to those behind and ahead, and factors of their differences.
struct StrainRow {
    std::size_t first;
    std::ptrdiff_t behind[3], ahead[3];
    float factor[3];
};

} // namespace systole::rows
#endif

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

HWY_INLINE Vec productOf(const Vec (&a)[3], const Vec (&b)[3], int i, int j) {
    return hn::Sub(hn::Mul(a[i], b[j]), hn::Mul(a[j], b[i]));
}

HWY_INLINE Vec strainAlong(const Vec (&f)[3][3], const Vec (&n)[3], cardiac::Tensor tensor) {
    const Tag d;
    Vec squared = hn::Zero(d);
    for (int k = 0; k < 3; ++k) {
        const Vec part =
            hn::MulAdd(f[k][0], n[0], hn::MulAdd(f[k][1], n[1], hn::Mul(f[k][2], n[2])));
        squared = hn::MulAdd(part, part, squared);
    }
    const Vec one = hn::Set(d, 1);
    return tensor == cardiac::Tensor::Engineering
               ? hn::Sub(hn::Sqrt(squared), one)
               : hn::Mul(hn::Set(d, 0.5f), hn::Sub(squared, one));
}

/// voxelStrain() of a vector of voxels that are no ends of their row.
HWY_INLINE void strainsAt(const cardiac::AxisStrain& work, const StrainRow& row, std::size_t i) {
    const Tag d;
    Vec f[3][3], l[3], r[3];
    for (int k = 0; k < 3; ++k) {
        const float* const w = work.motion.component(k) + i;
        for (int j = 0; j < 3; ++j)
            f[k][j] =
                hn::Mul(hn::Set(d, work.scale.ratio[k][j] * row.factor[j]),
                        hn::Sub(hn::LoadU(d, w + row.ahead[j]), hn::LoadU(d, w + row.behind[j])));
        f[k][k] = hn::Add(f[k][k], hn::Set(d, 1));
        l[k] = hn::LoadU(d, work.longitudinal.component(k) + i);
        r[k] = hn::LoadU(d, work.radial.component(k) + i);
    }
    const Vec c[3] = {productOf(l, r, 1, 2), productOf(l, r, 2, 0), productOf(l, r, 0, 1)};
    const Vec cofactors[3] = {productOf(f[1], f[2], 1, 2), productOf(f[1], f[2], 2, 0),
                              productOf(f[1], f[2], 0, 1)};
    hn::StoreU(hn::MulAdd(f[0][0], cofactors[0],
                          hn::MulAdd(f[0][1], cofactors[1], hn::Mul(f[0][2], cofactors[2]))),
               d, work.jacobian.data + i);
    const auto none = hn::And(hn::And(hn::Eq(r[0], hn::Zero(d)), hn::Eq(r[1], hn::Zero(d))),
                              hn::Eq(r[2], hn::Zero(d)));
    const auto store = [&](const Vec(&axis)[3], float* out) HWY_ATTR {
        hn::StoreU(hn::IfThenZeroElse(none, strainAlong(f, axis, work.tensor)), d, out + i);
    };
    store(l, work.strain.u);
    store(c, work.strain.v);
    store(r, work.strain.w);
}

/// All but the ends; false: the row is too short for that, and nothing was done.
bool StrainsOfRow(const cardiac::AxisStrain& work, const StrainRow& row, int count) {
    const int last = count - 1 - lanes();
    if (last < 1)
        return false;
    for (int i = 1; i < last; i += lanes())
        strainsAt(work, row, row.first + static_cast<std::size_t>(i));
    strainsAt(work, row, row.first + static_cast<std::size_t>(last));
    return true;
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole {

namespace rows {
HWY_EXPORT(StrainsOfRow);

static StrainRow strainRow(Size3 size, int y, int z) {
    StrainRow row{VolumeView<const float>(nullptr, size).offset(0, y, z), {}, {}, {}};
    const int at[3] = {1, y, z}; // all voxels of the row but its ends have both neighbors along x
    std::ptrdiff_t stride = 1;
    for (int axis = 0; axis < 3; ++axis) {
        row.behind[axis] = at[axis] > 0 ? -stride : 0;
        row.ahead[axis] = axis == 0 || at[axis] + 1 < size[axis] ? stride : 0;
        row.factor[axis] = axis == 0 ? 0.5f : differenceFactor(at[axis], size[axis]);
        stride *= size[axis];
    }
    return row;
}
} // namespace rows

void cardiac::axisStrain(const AxisStrain& work, const ExecContext& ctx) {
    checkAxisStrain(work);
    const Size3 size = work.motion.size;
    const auto at = [&](int x, int y, int z) {
        const std::size_t i = work.jacobian.offset(x, y, z);
        const float l[3] = {work.longitudinal.u[i], work.longitudinal.v[i], work.longitudinal.w[i]},
                    r[3] = {work.radial.u[i], work.radial.v[i], work.radial.w[i]};
        const VoxelStrain strain =
            voxelStrain(fieldGradient(work.motion, x, y, z), l, r, work.scale, work.tensor);
        work.jacobian.data[i] = strain.jacobian;
        for (int k = 0; k < 3; ++k)
            work.strain.component(k)[i] = strain.along[k];
    };
    overRows(size, 1, ctx, [&](int y, int z) {
        const bool inside =
            HWY_DYNAMIC_DISPATCH(rows::StrainsOfRow)(work, rows::strainRow(size, y, z), size.x);
        for (int x = 0; x < size.x; x += inside && x == 0 ? size.x - 1 : 1)
            at(x, y, z);
    });
}

} // namespace systole
#endif
