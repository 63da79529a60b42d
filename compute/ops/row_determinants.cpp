#include "compute/ops/row_determinants.h"

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/ops/row_determinants.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<double>;
using Vec = hn::Vec<Tag>;

HWY_INLINE Vec difference(Vec factor, const float* low, const float* high) {
    const Tag d;
    const hn::Rebind<float, Tag> stored;
    return hn::Mul(factor, hn::Sub(hn::PromoteTo(d, hn::LoadU(stored, high)),
                                   hn::PromoteTo(d, hn::LoadU(stored, low))));
}

/// a b − c d
HWY_INLINE Vec minor(Vec a, Vec b, Vec c, Vec d) { return hn::Sub(hn::Mul(a, b), hn::Mul(c, d)); }

int AddDeterminants(const DisplacementRow& row, int begin, int end, double threshold,
                    DeterminantFigures& figures) {
    const Tag d;
    const auto lanes = static_cast<int>(hn::Lanes(d));
    const auto &u = row.of[0], &v = row.of[1], &w = row.of[2];
    const auto alongX = hn::Set(d, 0.5), alongY = hn::Set(d, row.factorY),
               alongZ = hn::Set(d, row.factorZ), one = hn::Set(d, 1.0),
               most = hn::Set(d, threshold);
    auto smallest = hn::Set(d, figures.smallest), largest = hn::Set(d, figures.largest);
    int x = begin;
    for (; x + lanes <= end; x += lanes) {
        const auto ux = hn::Add(difference(alongX, u.here + x - 1, u.here + x + 1), one);
        const auto uy = difference(alongY, u.lowY + x, u.highY + x);
        const auto uz = difference(alongZ, u.lowZ + x, u.highZ + x);
        const auto vx = difference(alongX, v.here + x - 1, v.here + x + 1);
        const auto vy = hn::Add(difference(alongY, v.lowY + x, v.highY + x), one);
        const auto vz = difference(alongZ, v.lowZ + x, v.highZ + x);
        const auto wx = difference(alongX, w.here + x - 1, w.here + x + 1);
        const auto wy = difference(alongY, w.lowY + x, w.highY + x);
        const auto wz = hn::Add(difference(alongZ, w.lowZ + x, w.highZ + x), one);
        const auto value =
            hn::Add(hn::Sub(hn::Mul(ux, minor(vy, wz, vz, wy)), hn::Mul(uy, minor(vx, wz, vz, wx))),
                    hn::Mul(uz, minor(vx, wy, vy, wx)));
        figures.folded += hn::CountTrue(d, hn::Le(value, most));
        smallest = hn::IfThenElse(hn::Lt(value, smallest), value, smallest);
        largest = hn::IfThenElse(hn::Gt(value, largest), value, largest);
    }
    figures.smallest = hn::GetLane(hn::MinOfLanes(d, smallest));
    figures.largest = hn::GetLane(hn::MaxOfLanes(d, largest));
    return x;
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(AddDeterminants);

int addDeterminants(const DisplacementRow& row, int begin, int end, double threshold,
                    DeterminantFigures& figures) {
    return HWY_DYNAMIC_DISPATCH(AddDeterminants)(row, begin, end, threshold, figures);
}

} // namespace systole::rows
#endif
