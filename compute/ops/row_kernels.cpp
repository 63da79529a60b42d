#include "compute/ops/row_kernels.h"

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/ops/row_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_trilinear-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

/// Works in place, too: no value is processed twice.
void Affine(const float* in, float scale, float offset, int count, float* out) {
    const Tag d;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        storePart(hn::MulAdd(hn::Set(d, scale), loadPart(in + i, part), hn::Set(d, offset)),
                  out + i, part);
    });
}

void Warp(const Volume& volume, float y, float z, const float* const (&d)[3], int count, float* out,
          float* inside) {
    const Tag tag;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const Trilinear t(volume,
                          hn::Add(hn::Iota(tag, static_cast<float>(i)), loadPart(d[0] + i, part)),
                          hn::Add(hn::Set(tag, y), loadPart(d[1] + i, part)),
                          hn::Add(hn::Set(tag, z), loadPart(d[2] + i, part)));
        storePart(t.sample(volume.data), out + i, part);
        if (inside)
            storePart(t.insideWeight(), inside + i, part);
    });
}

void Sample(const Volume& volume, const float* x, const float* y, const float* z, int count,
            float* out) {
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const Trilinear t(volume, loadPart(x + i, part), loadPart(y + i, part),
                          loadPart(z + i, part));
        storePart(t.sample(volume.data), out + i, part);
    });
}

void Compose(const Volume (&components)[3], float y, float z, const float* const (&step)[3],
             int count, float* const (&out)[3]) {
    const Tag d;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const auto u = loadPart(step[0] + i, part);
        const auto v = loadPart(step[1] + i, part);
        const auto w = loadPart(step[2] + i, part);
        const Trilinear t(components[0], hn::Add(hn::Iota(d, static_cast<float>(i)), u),
                          hn::Add(hn::Set(d, y), v), hn::Add(hn::Set(d, z), w));
        storePart(hn::Add(u, t.sample(components[0].data)), out[0] + i, part);
        storePart(hn::Add(v, t.sample(components[1].data)), out[1] + i, part);
        storePart(hn::Add(w, t.sample(components[2].data)), out[2] + i, part);
    });
}

float LargestDistance(const float* const (&a)[3], const float* const (&b)[3], int count) {
    const Tag d;
    auto largest = hn::Zero(d);
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const auto distance = [&](int k) HWY_ATTR {
            return hn::AbsDiff(loadPart(a[k] + i, part), loadPart(b[k] + i, part));
        };
        largest = hn::Max(largest, hn::Add(hn::Add(distance(0), distance(1)), distance(2)));
    });
    return hn::GetLane(hn::MaxOfLanes(d, largest));
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(Affine);
HWY_EXPORT(Warp);
HWY_EXPORT(Sample);
HWY_EXPORT(Compose);
HWY_EXPORT(LargestDistance);

void affine(const float* in, float scale, float offset, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(Affine)(in, scale, offset, count, out);
}
void warp(const Volume& volume, float y, float z, const float* const (&d)[3], int count, float* out,
          float* inside) {
    HWY_DYNAMIC_DISPATCH(Warp)(volume, y, z, d, count, out, inside);
}

void sample(const Volume& volume, const float* x, const float* y, const float* z, int count,
            float* out) {
    HWY_DYNAMIC_DISPATCH(Sample)(volume, x, y, z, count, out);
}
void compose(const Volume (&components)[3], float y, float z, const float* const (&d)[3], int count,
             float* const (&out)[3]) {
    HWY_DYNAMIC_DISPATCH(Compose)(components, y, z, d, count, out);
}
float largestDistance(const float* const (&a)[3], const float* const (&b)[3], int count) {
    return HWY_DYNAMIC_DISPATCH(LargestDistance)(a, b, count);
}

} // namespace systole::rows
#endif
