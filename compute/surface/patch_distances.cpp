#include "compute/surface/patch_distances.h"

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/surface/patch_distances.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::nlm::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, leafSize>;

/// Four queries and two vectors of patches: eight independent sums, each in the order of the
/// patch's numbers.
void PatchDistances(const float* const* query, const float* leaf, int numbers, float* distance) {
    const Tag d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const int step = lanes < leafSize ? 2 * lanes : leafSize;
    for (int i = 0; i < leafSize; i += step) {
        auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
        const int second = lanes < leafSize ? lanes : 0;
        for (int n = 0; n < numbers; ++n) {
            const float* const at = leaf + n * leafSize + i;
            const auto a = hn::LoadU(d, at), b = hn::LoadU(d, at + second);
            const auto add = [&](int q, auto& sumA, auto& sumB) HWY_ATTR {
                const auto own = hn::Set(d, query[q][n * leafSize]);
                const auto da = hn::Sub(own, a), db = hn::Sub(own, b);
                sumA = hn::MulAdd(da, da, sumA);
                sumB = hn::MulAdd(db, db, sumB);
            };
            add(0, a0, b0);
            add(1, a1, b1);
            add(2, a2, b2);
            add(3, a3, b3);
        }
        const auto store = [&](int q, auto sumA, auto sumB) HWY_ATTR {
            hn::StoreU(sumA, d, distance + q * leafSize + i);
            hn::StoreU(sumB, d, distance + q * leafSize + i + second);
        };
        store(0, a0, b0);
        store(1, a1, b1);
        store(2, a2, b2);
        store(3, a3, b3);
    }
}

/// The bits of a mask over lanes of floats, from bit `first` on.
template <typename Mask>
HWY_INLINE std::uint32_t bitsOf(Mask mask, int first) {
    const Tag d;
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, mask, bytes);
    std::uint32_t bits = 0;
    for (int byte = 0; byte < (static_cast<int>(hn::Lanes(d)) + 7) / 8; ++byte)
        bits |= static_cast<std::uint32_t>(bytes[byte]) << (first + 8 * byte);
    return bits;
}

std::uint32_t VoxelsWithin(const int* query, const int* leaf, int window) {
    const Tag d;
    const hn::RebindToSigned<Tag> di;
    const int lanes = static_cast<int>(hn::Lanes(d));
    std::uint32_t within = 0;
    for (int i = 0; i < leafSize; i += lanes) {
        auto largest = hn::Zero(di);
        for (int axis = 0; axis < 3; ++axis)
            largest = hn::Max(largest, hn::Abs(hn::Sub(hn::Set(di, query[axis * leafSize]),
                                                       hn::LoadU(di, leaf + axis * leafSize + i))));
        within |= bitsOf(hn::RebindMask(d, hn::Gt(hn::Set(di, window + 1), largest)), i);
    }
    return within;
}

void BoxDistances(const PatchLeaves& all, int own, int window, float* distance) {
    const Tag d;
    const auto far = hn::Set(d, window > 0 ? static_cast<float>(window) : INFINITY);
    const auto lanes = static_cast<std::size_t>(hn::Lanes(d));
    const std::size_t length = all.boxLength(), at = static_cast<std::size_t>(own);
    for (std::size_t leaf = 0; leaf < length; leaf += lanes) {
        auto sum = hn::Zero(d), gaps = hn::Zero(d);
        for (std::size_t k = 0; k < features + 3; ++k) {
            const float *const low = all.low.data() + k * length, *const high =
                                                                      all.high.data() + k * length;
            const auto gap = hn::Max(
                hn::Zero(d), hn::Max(hn::Sub(hn::Set(d, low[at]), hn::LoadU(d, high + leaf)),
                                     hn::Sub(hn::LoadU(d, low + leaf), hn::Set(d, high[at]))));
            if (k < features)
                sum = hn::MulAdd(gap, gap, sum);
            else
                gaps = hn::Max(gaps, gap);
        }
        hn::StoreU(hn::IfThenElse(hn::Gt(gaps, far), hn::Set(d, INFINITY), sum), d,
                   distance + leaf);
    }
}

std::uint32_t FeaturesWithin(const float* query, const float* leaf, float limit) {
    const Tag d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    std::uint32_t within = 0;
    for (int i = 0; i < leafSize; i += lanes) {
        auto sum = hn::Zero(d);
        for (int k = 0; k < features; ++k) {
            const auto difference =
                hn::Sub(hn::Set(d, query[k * leafSize]), hn::LoadU(d, leaf + k * leafSize + i));
            sum = hn::MulAdd(difference, difference, sum);
        }
        within |= bitsOf(hn::Le(sum, hn::Set(d, limit)), i);
    }
    return within;
}

} // namespace systole::nlm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::nlm {

HWY_EXPORT(PatchDistances);
HWY_EXPORT(FeaturesWithin);
HWY_EXPORT(VoxelsWithin);
HWY_EXPORT(BoxDistances);

void patchDistances(const float* const (&query)[queriesAtOnce], const float* leaf, int numbers,
                    float* distance) {
    HWY_DYNAMIC_DISPATCH(PatchDistances)(query, leaf, numbers, distance);
}

std::uint32_t featuresWithin(const float* query, const float* leaf, float limit) {
    return HWY_DYNAMIC_DISPATCH(FeaturesWithin)(query, leaf, limit);
}

std::uint32_t voxelsWithin(const int* query, const int* leaf, int window) {
    return HWY_DYNAMIC_DISPATCH(VoxelsWithin)(query, leaf, window);
}

void boxDistances(const PatchLeaves& all, int own, int window, float* distance) {
    HWY_DYNAMIC_DISPATCH(BoxDistances)(all, own, window, distance);
}

} // namespace systole::nlm
#endif
