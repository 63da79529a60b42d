#include "compute/ops/row_resampling.h"

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

void Mix(const float* const* in, const float* weights, int rows, int count, float* out) {
    const Tag d;
    for (int i = 0; i < count; i += lanes()) {
        auto sum = hn::Mul(hn::Set(d, weights[0]), loadPart(in[0] + i, count - i));
        for (int k = 1; k < rows; ++k)
            sum = hn::MulAdd(hn::Set(d, weights[k]), loadPart(in[k] + i, count - i), sum);
        storePart(sum, out + i, count - i);
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
            out[2 * i] = cells[i - 1] + 0.75f * (cells[i] - cells[i - 1]);
            out[2 * i + 1] = cells[i] + 0.25f * (cells[i + 1] - cells[i]);
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
            out[i] = a + part[i] * (in[low[i] + step] - a);
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

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(Mix);
HWY_EXPORT(PairMeans);
HWY_EXPORT(BetweenCells);
HWY_EXPORT(Along);
HWY_EXPORT(Between);

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

} // namespace systole::rows
#endif
