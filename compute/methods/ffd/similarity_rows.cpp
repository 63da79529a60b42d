#include "compute/methods/ffd/similarity_rows.h"

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/methods/ffd/similarity_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_trilinear-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

float Sum(const float* values, int count) {
    const Tag d;
    auto sum = hn::Zero(d);
    forPaddedRow(count,
                 [&](int i, int part) HWY_ATTR { sum = hn::Add(sum, loadPart(values + i, part)); });
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

float WeightedSquares(const float* a, const float* b, const float* weight, int count) {
    const Tag d;
    auto sum = hn::Zero(d);
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const auto difference = hn::Sub(loadPart(a + i, part), loadPart(b + i, part));
        sum = hn::MulAdd(hn::Mul(loadPart(weight + i, part), difference), difference, sum);
    });
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

void WeightedDifference(const float* a, const float* b, const float* weight, float scale, int count,
                        float* out) {
    const Tag d;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const auto difference = hn::Sub(loadPart(a + i, part), loadPart(b + i, part));
        const auto by = hn::Mul(hn::Set(d, scale), loadPart(weight + i, part));
        storePart(hn::Mul(by, difference), out + i, part);
    });
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(Sum);
HWY_EXPORT(WeightedSquares);
HWY_EXPORT(WeightedDifference);

float sum(const float* values, int count) { return HWY_DYNAMIC_DISPATCH(Sum)(values, count); }
float weightedSquares(const float* a, const float* b, const float* weight, int count) {
    return HWY_DYNAMIC_DISPATCH(WeightedSquares)(a, b, weight, count);
}
void weightedDifference(const float* a, const float* b, const float* weight, float scale, int count,
                        float* out) {
    HWY_DYNAMIC_DISPATCH(WeightedDifference)(a, b, weight, scale, count, out);
}

} // namespace systole::rows
#endif
