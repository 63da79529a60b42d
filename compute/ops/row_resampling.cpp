#include "compute/ops/row_resampling.h"

#include <algorithm>
#include <cmath>

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/ops/row_resampling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

/// `vectors` sums side by side: each is a chain in the order of the rows, and one alone would wait
/// for itself.
template <int vectors>
HWY_INLINE void mixAt(const int (&at)[4], const float* const* in, const float* weights, int rows,
                      float* out) {
    const Tag d;
    Vec sum[vectors];
    for (int v = 0; v < vectors; ++v)
        sum[v] = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, in[0] + at[v]));
    for (int k = 1; k < rows; ++k) {
        const Vec weight = hn::Set(d, weights[k]);
        for (int v = 0; v < vectors; ++v)
            sum[v] = hn::MulAdd(weight, hn::LoadU(d, in[k] + at[v]), sum[v]);
    }
    for (int v = 0; v < vectors; ++v)
        hn::StoreU(sum[v], d, out + at[v]);
}

void Mix(const float* const* in, const float* weights, int rows, int count, float* out) {
    const int n = lanes();
    if (count < n) {
        for (int i = 0; i < count; ++i) {
            float sum = weights[0] * in[0][i];
            for (int k = 1; k < rows; ++k)
                sum = std::fma(weights[k], in[k][i], sum);
            out[i] = sum;
        }
        return;
    }
    for (int i = 0; i < count; i += 4 * n) {
        // The last vector is moved back to end at `count`.
        const auto at = [&](int v) { return std::min(i + v * n, count - n); };
        const int offsets[4] = {at(0), at(1), at(2), at(3)}, left = (count - i + n - 1) / n;
        if (left >= 4)
            mixAt<4>(offsets, in, weights, rows, out);
        else if (left == 3)
            mixAt<3>(offsets, in, weights, rows, out);
        else if (left == 2)
            mixAt<2>(offsets, in, weights, rows, out);
        else
            mixAt<1>(offsets, in, weights, rows, out);
    }
}

void PairMeans(const float* in, int count, float* out) {
    const Tag d;
    forRow(
        count,
        [&](int i) HWY_ATTR {
            Vec even, odd;
            hn::LoadInterleaved2(d, in + 2 * i, even, odd);
            hn::StoreU(hn::Mul(hn::Set(d, 0.5f), hn::Add(even, odd)), d, out + i);
        },
        [&](int i) { out[i] = 0.5f * (in[2 * i] + in[2 * i + 1]); });
}

void BetweenCells(const float* cells, int count, float* out) {
    const Tag d;
    forRow(
        count,
        [&](int i) HWY_ATTR {
            const auto before = hn::LoadU(d, cells + i - 1), here = hn::LoadU(d, cells + i),
                       after = hn::LoadU(d, cells + i + 1);
            hn::StoreInterleaved2(hn::MulAdd(hn::Set(d, 0.75f), hn::Sub(here, before), before),
                                  hn::MulAdd(hn::Set(d, 0.25f), hn::Sub(after, here), here), d,
                                  out + 2 * i);
        },
        [&](int i) {
            out[2 * i] = std::fma(0.75f, cells[i] - cells[i - 1], cells[i - 1]);
            out[2 * i + 1] = std::fma(0.25f, cells[i + 1] - cells[i], cells[i]);
        });
}

void Along(const float* in, const int* low, const float* part, int step, int count, float* out) {
    const Tag d;
    const hn::RebindToSigned<Tag> di;
    forRow(
        count,
        [&](int i) HWY_ATTR {
            const auto index = hn::LoadU(di, low + i);
            const auto a = hn::GatherIndex(d, in, index), b = hn::GatherIndex(d, in + step, index);
            hn::StoreU(hn::MulAdd(hn::LoadU(d, part + i), hn::Sub(b, a), a), d, out + i);
        },
        [&](int i) {
            const float a = in[low[i]];
            out[i] = std::fma(part[i], in[low[i] + step] - a, a);
        });
}

void Between(const float* const (&in)[4], float partY, float partZ, float gain, int count,
             float* out) {
    const Tag d;
    const auto y = hn::Set(d, partY), z = hn::Set(d, partZ), by = hn::Set(d, gain);
    for (int i = 0; i < count; i += lanes()) {
        const auto at = [&](int k) HWY_ATTR { return loadPart(in[k] + i, count - i); };
        const auto linear = [](Vec a, Vec b, Vec t)
                                HWY_ATTR { return hn::MulAdd(t, hn::Sub(b, a), a); };
        storePart(hn::Mul(by, linear(linear(at(0), at(1), y), linear(at(2), at(3), y), z)), out + i,
                  count - i);
    }
}

void Lerp(const float* a, const float* b, float share, int count, float* out) {
    const Tag d;
    const auto t = hn::Set(d, share);
    forRow(
        count,
        [&](int i) HWY_ATTR {
            const auto from = hn::LoadU(d, a + i);
            hn::StoreU(hn::MulAdd(t, hn::Sub(hn::LoadU(d, b + i), from), from), d, out + i);
        },
        [&](int i) { out[i] = std::fma(share, b[i] - a[i], a[i]); });
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(Mix);
HWY_EXPORT(PairMeans);
HWY_EXPORT(BetweenCells);
HWY_EXPORT(Along);
HWY_EXPORT(Between);
HWY_EXPORT(Lerp);

void mix(const float* const* in, const float* weights, int rows, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(Mix)(in, weights, rows, count, out);
}
void pairMeans(const float* in, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(PairMeans)(in, count, out);
}
void betweenCells(const float* cells, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(BetweenCells)(cells, count, out);
}
void along(const float* in, const int* low, const float* part, int step, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(Along)(in, low, part, step, count, out);
}
void between(const float* const (&in)[4], float partY, float partZ, float gain, int count,
             float* out) {
    HWY_DYNAMIC_DISPATCH(Between)(in, partY, partZ, gain, count, out);
}

void lerp(const float* a, const float* b, float share, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(Lerp)(a, b, share, count, out);
}

} // namespace systole::rows
#endif
