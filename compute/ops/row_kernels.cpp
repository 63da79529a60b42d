#include "compute/ops/row_kernels.h"

#include "compute/ops/sample.h"

#include <algorithm>
#include <cmath>

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/ops/row_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

using IntTag = hn::RebindToSigned<Tag>;

void WeightedSum(const float* const* in, const float* taps, int radius, int count, float* out) {
    const Tag d;
    forRow(
        count,
        [&](int i) {
            auto sum = hn::Mul(hn::Set(d, taps[radius]), hn::LoadU(d, in[radius] + i));
            for (int k = 0; k < radius; ++k)
                sum = hn::MulAdd(
                    hn::Set(d, taps[k]),
                    hn::Add(hn::LoadU(d, in[k] + i), hn::LoadU(d, in[2 * radius - k] + i)), sum);
            hn::StoreU(sum, d, out + i);
        },
        [&](int i) {
            float sum = taps[radius] * in[radius][i];
            for (int k = 0; k < radius; ++k)
                sum = std::fma(taps[k], in[k][i] + in[2 * radius - k][i], sum);
            out[i] = sum;
        });
}

void Convolve(const float* padded, const float* taps, int radius, int count, float* out) {
    const Tag d;
    forRow(
        count,
        [&](int i) {
            const float* p = padded + i;
            auto sum = hn::Mul(hn::Set(d, taps[radius]), hn::LoadU(d, p + radius));
            for (int k = 0; k < radius; ++k)
                sum =
                    hn::MulAdd(hn::Set(d, taps[k]),
                               hn::Add(hn::LoadU(d, p + k), hn::LoadU(d, p + 2 * radius - k)), sum);
            hn::StoreU(sum, d, out + i);
        },
        [&](int i) {
            const float* p = padded + i;
            float sum = taps[radius] * p[radius];
            for (int k = 0; k < radius; ++k)
                sum = std::fma(taps[k], p[k] + p[2 * radius - k], sum);
            out[i] = sum;
        });
}

/// One axis of a trilinear position: the lower index, the fraction, and distanceOutside.
struct AxisPosition {
    hn::Vec<IntTag> index;
    Vec fraction;
    Vec outside;
};

HWY_INLINE AxisPosition locate(Vec position, int size) {
    const Tag d;
    const IntTag di;
    AxisPosition a;
    const auto last = hn::Set(d, static_cast<float>(size - 1));
    const auto clamped = hn::Min(hn::Max(position, hn::Zero(d)), last);
    a.outside = size == 1 ? hn::Set(d, -1.0f) : hn::Max(hn::Neg(position), hn::Sub(position, last));
    // The lower index stays one below the last, so that its upper neighbor exists.
    const auto low = hn::Min(hn::ConvertTo(di, clamped), hn::Set(di, std::max(0, size - 2)));
    a.index = low;
    a.fraction = hn::Sub(clamped, hn::ConvertTo(d, low));
    return a;
}

struct Trilinear {
    AxisPosition x, y, z;
    hn::Vec<IntTag> base;
    int stepX, stepY, stepZ;

    HWY_INLINE Trilinear(const Volume& volume, Vec px, Vec py, Vec pz)
        : x(locate(px, volume.nx))
        , y(locate(py, volume.ny))
        , z(locate(pz, volume.nz))
        , stepX(volume.nx > 1 ? 1 : 0)
        , stepY(volume.ny > 1 ? volume.nx : 0)
        , stepZ(volume.nz > 1 ? volume.nx * volume.ny : 0) {
        const IntTag di;
        base =
            hn::Add(x.index, hn::Mul(hn::Set(di, volume.nx),
                                     hn::Add(y.index, hn::Mul(hn::Set(di, volume.ny), z.index))));
    }

    HWY_INLINE Vec sample(const float* data) const {
        const Tag d;
        const auto along = [&](const float* row) HWY_ATTR {
            const auto a = hn::GatherIndex(d, row, base);
            const auto b = hn::GatherIndex(d, row + stepX, base);
            return hn::MulAdd(x.fraction, hn::Sub(b, a), a);
        };
        const auto plane = [&](const float* slice) HWY_ATTR {
            const auto a = along(slice);
            const auto b = along(slice + stepY);
            return hn::MulAdd(y.fraction, hn::Sub(b, a), a);
        };
        const auto a = plane(data);
        const auto b = plane(data + stepZ);
        return hn::MulAdd(z.fraction, hn::Sub(b, a), a);
    }

    HWY_INLINE Vec insideWeight() const {
        const Tag d;
        const auto farthest = hn::Max(x.outside, hn::Max(y.outside, z.outside));
        const auto weight =
            hn::NegMulAdd(farthest, hn::Set(d, 0.5f / borderFade), hn::Set(d, 0.5f));
        return hn::Min(hn::Max(weight, hn::Zero(d)), hn::Set(d, 1.0f));
    }
};

/// Processes rows shorter than a vector in a padded copy.
template <class Body>
HWY_INLINE void forPaddedRow(int count, const Body& body) {
    int i = 0;
    for (; i + lanes() <= count; i += lanes())
        body(i, lanes());
    if (i < count)
        body(i, count - i);
}

/// Works in place, too: no value is processed twice.
void Affine(const float* in, float scale, float offset, int count, float* out) {
    const Tag d;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        storePart(hn::MulAdd(hn::Set(d, scale), loadPart(in + i, part), hn::Set(d, offset)),
                  out + i, part);
    });
}

void Warp(const Volume& volume, int x0, float y, float z, const float* u, const float* v,
          const float* w, int count, float* out, float* inside) {
    const Tag d;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const auto x = hn::Iota(d, static_cast<float>(x0 + i));
        const Trilinear t(volume, hn::Add(x, loadPart(u + i, part)),
                          hn::Add(hn::Set(d, y), loadPart(v + i, part)),
                          hn::Add(hn::Set(d, z), loadPart(w + i, part)));
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

const char* InstructionSet() { return hwy::TargetName(HWY_TARGET); }

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(WeightedSum);
HWY_EXPORT(Convolve);
HWY_EXPORT(Affine);
HWY_EXPORT(Warp);
HWY_EXPORT(Sample);
HWY_EXPORT(Compose);
HWY_EXPORT(LargestDistance);
HWY_EXPORT(InstructionSet);

void weightedSum(const float* const* in, const float* taps, int radius, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(WeightedSum)(in, taps, radius, count, out);
}
void convolve(const float* padded, const float* taps, int radius, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(Convolve)(padded, taps, radius, count, out);
}
void affine(const float* in, float scale, float offset, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(Affine)(in, scale, offset, count, out);
}
void warp(const Volume& volume, int x0, float y, float z, const float* u, const float* v,
          const float* w, int count, float* out, float* inside) {
    HWY_DYNAMIC_DISPATCH(Warp)(volume, x0, y, z, u, v, w, count, out, inside);
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
const char* instructionSet() { return HWY_DYNAMIC_DISPATCH(InstructionSet)(); }

} // namespace systole::rows
#endif
