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

HWY_INLINE Position displaced(const IndexMap& map, bool identity, int i, int part, float y, float z,
                              const float* u, const float* v, const float* w) {
    const Tag d;
    return mapped(map, identity, hn::Add(hn::Iota(d, static_cast<float>(i)), loadPart(u + i, part)),
                  hn::Add(hn::Set(d, y), loadPart(v + i, part)),
                  hn::Add(hn::Set(d, z), loadPart(w + i, part)));
}

void WarpMapped(const Volume& volume, const Volume& mask, const IndexMap& map, float y, float z,
                const float* u, const float* v, const float* w, int count, const WarpedRow& row) {
    const bool identity = map.isIdentity();
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const Position p = displaced(map, identity, i, part, y, z, u, v, w);
        const Trilinear t(volume, p.x, p.y, p.z);
        storePart(t.sample(volume.data), row.out + i, part);
        auto weight = t.insideWeight();
        if (mask.data)
            weight = hn::Mul(weight, t.sample(mask.data));
        if (row.fixedMask)
            weight = hn::Mul(weight, loadPart(row.fixedMask + i, part));
        storePart(weight, row.weight + i, part);
    });
}

/// `gradient` where the position isn't clamped, otherwise 0.
HWY_INLINE Vec within(Vec position, int size, Vec gradient) {
    const Tag d;
    const auto inside = hn::And(hn::Ge(position, hn::Zero(d)),
                                hn::Le(position, hn::Set(d, static_cast<float>(size - 1))));
    return hn::IfThenElseZero(inside, gradient);
}

void ForceMapped(const Volume& volume, const IndexMap& map, float y, float z, const float* u,
                 const float* v, const float* w, const float* derivative, int count,
                 float* const (&force)[3]) {
    const Tag d;
    const bool identity = map.isIdentity();
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const Position p = displaced(map, identity, i, part, y, z, u, v, w);
        const Trilinear t(volume, p.x, p.y, p.z);
        Vec g[3];
        t.sampleWithGradient(volume.data, g);
        g[0] = within(p.x, volume.size.x, g[0]);
        g[1] = within(p.y, volume.size.y, g[1]);
        g[2] = within(p.z, volume.size.z, g[2]);
        const auto by = loadPart(derivative + i, part);
        for (int axis = 0; axis < 3; ++axis) {
            Vec along = g[axis];
            if (!identity)
                along = hn::MulAdd(hn::Set(d, map.matrix[0][axis]), g[0],
                                   hn::MulAdd(hn::Set(d, map.matrix[1][axis]), g[1],
                                              hn::Mul(hn::Set(d, map.matrix[2][axis]), g[2])));
            storePart(hn::Mul(by, along), force[axis] + i, part);
        }
    });
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(WarpMapped);
HWY_EXPORT(ForceMapped);

void warpMapped(const Volume& volume, const Volume& mask, const IndexMap& map, float y, float z,
                const float* u, const float* v, const float* w, int count, const WarpedRow& row) {
    HWY_DYNAMIC_DISPATCH(WarpMapped)(volume, mask, map, y, z, u, v, w, count, row);
}
void forceMapped(const Volume& volume, const IndexMap& map, float y, float z, const float* u,
                 const float* v, const float* w, const float* derivative, int count,
                 float* const (&force)[3]) {
    HWY_DYNAMIC_DISPATCH(ForceMapped)(volume, map, y, z, u, v, w, derivative, count, force);
}

} // namespace systole::rows
#endif
