#include "compute/methods/ffd/warp_rows.h"

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/methods/ffd/warp_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_trilinear-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

struct Position {
    Vec x, y, z;
};

HWY_INLINE Position mapped(const IndexMap& map, bool identity, Vec x, Vec y, Vec z) {
    if (identity)
        return {x, y, z};
    const Tag d;
    const auto row = [&](int axis) HWY_ATTR {
        const float* const m = map.matrix[axis];
        return hn::MulAdd(
            hn::Set(d, m[0]), x,
            hn::MulAdd(hn::Set(d, m[1]), y,
                       hn::MulAdd(hn::Set(d, m[2]), z, hn::Set(d, map.offset[axis]))));
    };
    return {row(0), row(1), row(2)};
}

/// Mapped positions of the row's voxels from i on.
HWY_INLINE Position positions(const MappedRow& row, bool identity, int i, int part) {
    const Tag d;
    return mapped(row.map, identity,
                  hn::Add(hn::Iota(d, static_cast<float>(i)), loadPart(row.field[0] + i, part)),
                  hn::Add(hn::Set(d, row.y), loadPart(row.field[1] + i, part)),
                  hn::Add(hn::Set(d, row.z), loadPart(row.field[2] + i, part)));
}

void WarpMapped(const MappedRow& from, const WarpedRow& to) {
    const Tag d;
    const bool identity = from.map.isIdentity();
    forPaddedRow(from.count, [&](int i, int part) HWY_ATTR {
        const Position p = positions(from, identity, i, part);
        const Trilinear t(from.volume, p.x, p.y, p.z);
        storePart(t.sample(from.volume.data), to.out + i, part);
        if (to.lost) {
            Vec slope[3];
            storePart(hn::Mul(hn::Set(d, from.noise), t.noiseLoss(slope)), to.lost + i, part);
        }
        auto weight = t.insideWeight();
        if (to.mask.data)
            weight = hn::Mul(weight, t.sample(to.mask.data));
        if (to.fixedMask)
            weight = hn::Mul(weight, loadPart(to.fixedMask + i, part));
        storePart(weight, to.weight + i, part);
    });
}

/// `gradient` where the position isn't clamped, otherwise 0.
HWY_INLINE Vec within(Vec position, int size, Vec gradient) {
    const Tag d;
    const auto inside = hn::And(hn::Ge(position, hn::Zero(d)),
                                hn::Le(position, hn::Set(d, static_cast<float>(size - 1))));
    return hn::IfThenElseZero(inside, gradient);
}

/// A gradient by moving voxels along an axis of the fixed ones.
HWY_INLINE Vec alongFixed(const IndexMap& map, bool identity, int axis, const Vec (&g)[3]) {
    const Tag d;
    if (identity)
        return g[axis];
    return hn::MulAdd(hn::Set(d, map.matrix[0][axis]), g[0],
                      hn::MulAdd(hn::Set(d, map.matrix[1][axis]), g[1],
                                 hn::Mul(hn::Set(d, map.matrix[2][axis]), g[2])));
}

void ForceMapped(const MappedRow& from, const float* derivative, const float* ofLost,
                 float* const (&force)[3]) {
    const Tag d;
    const Volume& volume = from.volume;
    const IndexMap& map = from.map;
    const bool identity = map.isIdentity();
    forPaddedRow(from.count, [&](int i, int part) HWY_ATTR {
        const Position p = positions(from, identity, i, part);
        const Trilinear t(volume, p.x, p.y, p.z);
        Vec g[3];
        t.sampleWithGradient(volume.data, g);
        g[0] = within(p.x, volume.size.x, g[0]);
        g[1] = within(p.y, volume.size.y, g[1]);
        g[2] = within(p.z, volume.size.z, g[2]);
        const auto by = loadPart(derivative + i, part);
        Vec slope[3]{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
        Vec byLost = hn::Zero(d);
        if (ofLost) {
            t.noiseLoss(slope);
            byLost = hn::Mul(hn::Set(d, from.noise), loadPart(ofLost + i, part));
        }
        for (int axis = 0; axis < 3; ++axis)
            storePart(hn::MulAdd(by, alongFixed(map, identity, axis, g),
                                 hn::Mul(byLost, alongFixed(map, identity, axis, slope))),
                      force[axis] + i, part);
    });
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(WarpMapped);
HWY_EXPORT(ForceMapped);

void warpMapped(const MappedRow& from, const WarpedRow& to) {
    HWY_DYNAMIC_DISPATCH(WarpMapped)(from, to);
}
void forceMapped(const MappedRow& from, const float* derivative, const float* ofLost,
                 float* const (&force)[3]) {
    HWY_DYNAMIC_DISPATCH(ForceMapped)(from, derivative, ofLost, force);
}

} // namespace systole::rows
#endif
