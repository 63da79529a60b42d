#include "compute/methods/ffd/similarity_rows.h"

#include "compute/methods/ffd/similarity_lncc.h"

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/methods/ffd/similarity_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_logarithm-inl.h"
#include "compute/ops/row_trilinear-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

using WideTag = hn::RepartitionToWide<Tag>;
using Wide = hn::Vec<WideTag>;

/// The lower and the upper half of the lanes in double precision.
HWY_INLINE Wide lowerOf(Vec v) {
    return hn::PromoteTo(WideTag(), hn::LowerHalf(hn::Half<Tag>(), v));
}
HWY_INLINE Wide upperOf(Vec v) {
#if HWY_TARGET == HWY_SCALAR // the only lane is in the lower half
    return hn::Sub(lowerOf(v), lowerOf(v));
#else
    return hn::PromoteTo(WideTag(), hn::UpperHalf(hn::Half<Tag>(), v));
#endif
}
HWY_INLINE double sumOf(Wide v) { return hn::GetLane(hn::SumOfLanes(WideTag(), v)); }

/// sum += the lanes of onSumGrid(a, b).
HWY_INLINE void addOnGrid(Vec a, Vec b, Wide& sum) {
    const auto three = hn::Set(Tag(), 3.0f);
    const auto v = hn::Sub(hn::MulAdd(a, b, three), three);
    sum = hn::Add(sum, hn::Add(lowerOf(v), upperOf(v)));
}

double Sum(const float* values, int count) {
    auto sum = hn::Zero(WideTag());
    const auto one = hn::Set(Tag(), 1.0f);
    forPaddedRow(count, [&](int i, int part)
                            HWY_ATTR { addOnGrid(loadPart(values + i, part), one, sum); });
    return sumOf(sum);
}

double WeightedSquares(const float* a, const float* b, const float* weight, int count,
                       double unit) {
    const WideTag d;
    const auto above = hn::Set(d, 6755399441055744.0 * unit);
    auto sum = hn::Zero(d);
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const auto difference = hn::Sub(loadPart(a + i, part), loadPart(b + i, part));
        const auto weighted = hn::Mul(loadPart(weight + i, part), difference);
        const auto add = [&](Wide first, Wide second) HWY_ATTR {
            sum = hn::Add(sum, hn::Sub(hn::MulAdd(first, second, above), above));
        };
        add(lowerOf(weighted), lowerOf(difference));
        add(upperOf(weighted), upperOf(difference));
    });
    return sumOf(sum);
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

/// Beginning of the window of a row's voxels, in bins and in the table.
struct WindowStart {
    Vec position, part;
    hn::Vec<IntTag> cell; ///< index in the table of the first of four bins
};

HWY_INLINE WindowStart windowStart(Vec cells, Vec warped, const BinScale& bins) {
    const Tag d;
    const IntTag di;
    WindowStart s;
    s.position = hn::MulAdd(hn::Set(d, bins.scale), warped, hn::Set(d, bins.offset));
    s.position = hn::Min(hn::Max(s.position, hn::Set(d, bins.low)), hn::Set(d, bins.high));
    const auto bin = hn::ConvertTo(di, s.position);
    s.part = hn::Sub(s.position, hn::ConvertTo(d, bin));
    s.cell = hn::Add(hn::ConvertTo(di, cells), hn::Sub(bin, hn::Set(di, 1)));
    return s;
}

void ParzenCounts(const float* cells, const float* warped, const float* weight,
                  const Parzen& parzen, int count, std::uint32_t* counts) {
    const Tag d;
    const IntTag di;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const WindowStart s =
            windowStart(loadPart(cells + i, part), loadPart(warped + i, part), parzen.bins);
        const auto by = hn::Mul(hn::Set(d, parzen.factor), loadPart(weight + i, part));
        const auto t = s.part, r = hn::Sub(hn::Set(d, 1.0f), t);
        const auto sixth = hn::Mul(by, hn::Set(d, 1.0f / 6));
        const auto outer = [&](Vec v)
                               HWY_ATTR { return hn::Mul(sixth, hn::Mul(v, hn::Mul(v, v))); };
        const auto inner = [&](Vec v) HWY_ATTR { // (3v³ − 6v² + 4) / 6
            const auto high = hn::MulAdd(hn::Set(d, 3.0f), v, hn::Set(d, -6.0f));
            return hn::Mul(sixth, hn::MulAdd(hn::Mul(high, v), v, hn::Set(d, 4.0f)));
        };
        const auto whole = [&](Vec v) HWY_ATTR { return hn::NearestInt(v); };
        HWY_ALIGN std::int32_t added[4 * maximumLanes], first[maximumLanes];
        hn::StoreInterleaved4(whole(outer(r)), whole(inner(t)), whole(inner(r)), whole(outer(t)),
                              di, added);
        hn::Store(s.cell, di, first);
        for (int lane = 0; lane < part; ++lane) {
            std::uint32_t* const to = counts + first[lane];
            const std::int32_t* const from = added + 4 * lane;
            for (int k = 0; k < 4; ++k)
                to[k] += static_cast<std::uint32_t>(from[k]);
        }
    });
}

void ParzenDerivative(const float* cells, const float* warped, const float* weight,
                      const Parzen& parzen, const float* table, int count, float* out) {
    const Tag d;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const WindowStart s =
            windowStart(loadPart(cells + i, part), loadPart(warped + i, part), parzen.bins);
        const auto t = s.part, r = hn::Sub(hn::Set(d, 1.0f), t);
        const auto outer = [&](Vec v) HWY_ATTR { return hn::Mul(v, v); };
        const auto inner = [&](Vec v) HWY_ATTR { // 3v² − 4v
            return hn::Mul(v, hn::MulAdd(hn::Set(d, 3.0f), v, hn::Set(d, -4.0f)));
        };
        const auto entry = [&](int k) HWY_ATTR { return hn::GatherIndex(d, table + k, s.cell); };
        auto sum = hn::Mul(entry(3), outer(t));
        sum = hn::MulAdd(entry(1), inner(t), sum);
        sum = hn::NegMulAdd(entry(2), inner(r), sum);
        sum = hn::NegMulAdd(entry(0), outer(r), sum);
        const auto by = hn::Mul(hn::Set(d, 0.5f * parzen.factor), loadPart(weight + i, part));
        const auto inside = hn::And(hn::Gt(s.position, hn::Set(d, parzen.bins.low)),
                                    hn::Lt(s.position, hn::Set(d, parzen.bins.high)));
        storePart(hn::IfThenElseZero(inside, hn::Mul(by, sum)), out + i, part);
    });
}

void WindowProducts(const float* counted, const ComparedRow& row, int count,
                    float* const (&products)[3]) {
    const Tag d;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const auto y = loadPart(row.b + i, part);
        const auto counts = counted ? loadPart(counted + i, part) : hn::Set(d, 1.0f);
        const auto once = hn::Mul(counts, y);
        const auto lost = row.lost ? loadPart(row.lost + i, part) : hn::Zero(d);
        storePart(once, products[0] + i, part);
        storePart(hn::MulAdd(once, y, hn::Mul(counts, lost)), products[1] + i, part);
        storePart(hn::Mul(once, loadPart(row.a + i, part)), products[2] + i, part);
    });
}

/// LnccTerms of a vector of voxels.
double LocalCorrelation(const WindowRow& row, int count) {
    const Tag d;
    auto total = hn::Zero(WideTag());
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const auto inverse = loadPart(row.inverse + i, part);
        const auto meanA = loadPart(row.mean + i, part);
        const auto meanB = hn::Mul(inverse, loadPart(row.sums[0] + i, part));
        const auto squareB = hn::Mul(inverse, loadPart(row.sums[1] + i, part));
        const auto product = hn::Mul(inverse, loadPart(row.sums[2] + i, part));
        const auto weight = loadPart(row.weight + i, part);
        const auto small = hn::Set(d, lnccFloor);
        const auto varianceA = hn::Add(loadPart(row.variance + i, part), small);
        const auto varianceB =
            hn::Add(hn::Max(hn::NegMulAdd(meanB, meanB, squareB), hn::Zero(d)), small);
        const auto covariance = hn::NegMulAdd(meanA, meanB, product);
        const auto ratio = hn::Div(covariance, hn::Mul(varianceA, varianceB));
        const auto correlation = hn::Mul(ratio, covariance);
        const auto rest = hn::Sub(hn::Set(d, 1 + lnccRest), hn::Min(correlation, hn::Set(d, 1.0f)));
        const auto counted =
            hn::Mul(hn::Set(d, lnccPerLog), hn::Sub(hn::Set(d, lnccLogOfWhole), logarithmOf(rest)));
        addOnGrid(weight, counted, total);
        const auto by =
            hn::Div(hn::Mul(weight, hn::Mul(inverse, hn::Set(d, 2 * lnccPerLog))), rest);
        const auto ofA = hn::Mul(by, ratio);
        const auto ofB = hn::Neg(hn::Mul(by, hn::Div(correlation, varianceB)));
        storePart(ofA, row.sums[0] + i, part);
        storePart(ofB, row.sums[1] + i, part);
        storePart(hn::MulAdd(ofA, meanA, hn::Mul(ofB, meanB)), row.sums[2] + i, part);
    });
    return sumOf(total);
}

void CorrelationDerivative(const float* counted, const ComparedRow& row, float* const (&factors)[3],
                           float scale, int count, float* out) {
    const Tag d;
    forPaddedRow(count, [&](int i, int part) HWY_ATTR {
        const auto ofB = loadPart(factors[1] + i, part);
        auto sum = hn::MulSub(loadPart(row.a + i, part), loadPart(factors[0] + i, part),
                              loadPart(factors[2] + i, part));
        sum = hn::MulAdd(loadPart(row.b + i, part), ofB, sum);
        auto by = hn::Set(d, scale);
        if (counted)
            by = hn::Mul(by, loadPart(counted + i, part));
        storePart(hn::Mul(by, sum), out + i, part);
        if (row.lost)
            storePart(hn::Mul(hn::Mul(hn::Set(d, 0.5f), by), ofB), factors[1] + i, part);
    });
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(Sum);
HWY_EXPORT(WeightedSquares);
HWY_EXPORT(WeightedDifference);
HWY_EXPORT(ParzenCounts);
HWY_EXPORT(ParzenDerivative);
HWY_EXPORT(WindowProducts);
HWY_EXPORT(LocalCorrelation);
HWY_EXPORT(CorrelationDerivative);

double sum(const float* values, int count) { return HWY_DYNAMIC_DISPATCH(Sum)(values, count); }
double weightedSquares(const float* a, const float* b, const float* weight, int count,
                       double unit) {
    return HWY_DYNAMIC_DISPATCH(WeightedSquares)(a, b, weight, count, unit);
}
void weightedDifference(const float* a, const float* b, const float* weight, float scale, int count,
                        float* out) {
    HWY_DYNAMIC_DISPATCH(WeightedDifference)(a, b, weight, scale, count, out);
}

void parzenCounts(const float* cells, const float* warped, const float* weight,
                  const Parzen& parzen, int count, std::uint32_t* counts) {
    HWY_DYNAMIC_DISPATCH(ParzenCounts)(cells, warped, weight, parzen, count, counts);
}
void parzenDerivative(const float* cells, const float* warped, const float* weight,
                      const Parzen& parzen, const float* table, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(ParzenDerivative)(cells, warped, weight, parzen, table, count, out);
}
void windowProducts(const float* counted, const ComparedRow& row, int count,
                    float* const (&products)[3]) {
    HWY_DYNAMIC_DISPATCH(WindowProducts)(counted, row, count, products);
}
double localCorrelation(const WindowRow& row, int count) {
    return HWY_DYNAMIC_DISPATCH(LocalCorrelation)(row, count);
}
void correlationDerivative(const float* counted, const ComparedRow& row, float* const (&factors)[3],
                           float scale, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(CorrelationDerivative)(counted, row, factors, scale, count, out);
}

} // namespace systole::rows
#endif
