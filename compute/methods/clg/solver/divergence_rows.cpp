#include "compute/methods/clg/solver/divergence_rows.h"

#include <cstddef>

// Order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/methods/clg/solver/divergence_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

using Mask = hn::Mask<Tag>;

/// The vectors of `row` from value i on, with what the formulas need of their place in the row.
struct Place {
    Place(const DivergenceRow& row, int from)
        : i(from)
        , low(from + row.shift - 1)
        , high(from + row.shift)
        , atStart(row.shift == 0 && from == 0)
        , atEnd(row.last >= from && row.last < from + lanes())
        , first(hn::FirstN(Tag(), 1))
        , last(hn::Eq(hn::Iota(Tag(), 0), hn::Set(Tag(), static_cast<float>(row.last - from)))) {}

    Vec here(const float* p) const { return hn::LoadU(Tag(), p + i); }
    /// The value at x − 1 of a row of the other half, and `beyond` before the row's beginning.
    HWY_INLINE Vec behind(const float* beside, Vec beyond) const {
        const Vec value = hn::LoadU(Tag(), beside + low);
        return atStart ? hn::IfThenElse(first, beyond, value) : value;
    }
    HWY_INLINE Vec ahead(const float* beside, Vec beyond) const {
        const Vec value = hn::LoadU(Tag(), beside + high);
        return atEnd ? hn::IfThenElse(last, beyond, value) : value;
    }

    int i, low, high;
    bool atStart, atEnd;
    Mask first, last;
};

/// Neighbors of the three components, and the mixed differences' part of their equations.
struct Neighbors {
    Vec behind[3], ahead[3]; ///< along x
    Vec across[4][3];
    Vec mixed[3];
};

/// Product: what beta·G·t needs; else what a sweep needs (see DivergenceRow).
template <bool Product, bool Weighted>
HWY_INLINE Neighbors neighborsOf(const DivergenceRow& row, const Place& at) {
    const Tag d;
    Neighbors n;
    for (int k = 0; k < 3; ++k) {
        const Vec beyond = Product ? at.here(row.self[k]) : hn::Zero(d);
        n.behind[k] = at.behind(row.beside[k], beyond);
        n.ahead[k] = at.ahead(row.beside[k], beyond);
        for (int side = 0; side < 4; ++side)
            n.across[side][k] = at.here(row.across[side][k]);
    }
    const auto weighted = [&](Vec value, Vec weight) HWY_ATTR {
        return Weighted ? hn::Mul(value, weight) : value;
    };
    const Vec hx = hn::Set(d, 0.5f * row.scale[0]), hy = hn::Set(d, 0.5f * row.scale[1]),
              hz = hn::Set(d, 0.5f * row.scale[2]);
    const Vec one = hn::Set(d, 1.0f);

    // m at x ± 1, from v and w.
    const auto ofRows = [&](Vec vAhead, Vec vBehind, Vec wAhead, Vec wBehind) HWY_ATTR {
        return hn::MulAdd(hy, hn::Sub(vAhead, vBehind), hn::Mul(hz, hn::Sub(wAhead, wBehind)));
    };
    const auto beside = [&](int index) HWY_ATTR {
        const auto value = [&](const float* p) HWY_ATTR { return hn::LoadU(d, p + index); };
        return weighted(ofRows(value(row.besideV[1]), value(row.besideV[0]), value(row.besideW[1]),
                               value(row.besideW[0])),
                        Weighted ? value(row.weightBeside) : one);
    };
    Vec low = beside(at.low), high = beside(at.high);
    if (at.atStart || at.atEnd) {
        const Vec own = hn::Neg(weighted(
            ofRows(n.across[1][1], n.across[0][1], n.across[3][2], n.across[2][2]),
            Weighted ? at.here(row.weight) : one));
        if (at.atStart)
            low = hn::IfThenElse(at.first, own, low);
        if (at.atEnd)
            high = hn::IfThenElse(at.last, own, high);
    }
    const Vec beta = hn::Set(d, row.beta);
    n.mixed[0] = hn::Mul(hn::Mul(beta, hx), hn::Sub(high, low));

    // m of the rows next to this one, from u and the third component.
    const auto ofSide = [&](const SideRow& side, Vec half) HWY_ATTR {
        const Vec end = at.atStart || at.atEnd ? at.here(side.here) : one;
        const Vec u = hn::Sub(at.ahead(side.beside, end), at.behind(side.beside, end));
        const Vec third = hn::Sub(at.here(side.ahead), at.here(side.behind));
        return weighted(hn::MulAdd(hx, u, hn::Mul(half, third)),
                        Weighted ? at.here(side.weight) : one);
    };
    const auto between = [&](int behind, float scale, Vec half) HWY_ATTR {
        const SideRow &b = row.side[behind], &a = row.side[behind + 1];
        const float factor = 0.5f * row.beta * scale;
        return hn::MulAdd(hn::Set(d, factor * a.sign), ofSide(a, half),
                          hn::Mul(hn::Set(d, -factor * b.sign), ofSide(b, half)));
    };
    n.mixed[1] = between(0, row.scale[1], hz);
    n.mixed[2] = between(2, row.scale[2], hy);
    return n;
}

template <bool Weighted>
float SweepRow(const DivergenceRow& row, const DivergenceSweep& sweep, bool measure) {
    const Tag d;
    const auto relax = hn::Set(d, sweep.omega);
    const float* const w = sweep.smoothness;
    auto largest = hn::Zero(d);
    for (int i = 0; i < row.stride; i += lanes()) {
        const Place at(row, i);
        const Neighbors n = neighborsOf<false, Weighted>(row, at);
        Vec rest[3];
        for (int k = 0; k < 3; ++k) {
            // Half of beta's weight along the component's own axis.
            const float edge = 0.5f * row.beta * row.scale[k] * row.scale[k];
            const auto along = [&](int axis) HWY_ATTR {
                return hn::Set(d, w[axis] + (!Weighted && axis == k ? 2 * edge : 0.0f));
            };
            Vec sum = hn::MulAdd(
                along(0), hn::Add(n.behind[k], n.ahead[k]),
                hn::MulAdd(along(1), hn::Add(n.across[0][k], n.across[1][k]),
                           hn::MulAdd(along(2), hn::Add(n.across[2][k], n.across[3][k]),
                                      n.mixed[k])));
            if (Weighted) {
                const Vec own = at.here(row.weight);
                const Vec b = k == 0 ? hn::LoadU(d, row.weightBeside + at.low)
                                     : at.here(row.weightAcross[2 * k - 2]);
                const Vec a = k == 0 ? hn::LoadU(d, row.weightBeside + at.high)
                                     : at.here(row.weightAcross[2 * k - 1]);
                const Vec straight = hn::MulAdd(
                    hn::Add(own, b), k == 0 ? n.behind[0] : n.across[2 * k - 2][k],
                    hn::Mul(hn::Add(own, a), k == 0 ? n.ahead[0] : n.across[2 * k - 1][k]));
                sum = hn::MulAdd(hn::Set(d, edge), straight, sum);
            }
            rest[k] = sum;
        }
        const auto m = [&](int k) HWY_ATTR { return at.here(sweep.system[k]); };
        const auto update = [&](int k, Vec a, Vec b, Vec c) HWY_ATTR {
            const auto solved = hn::MulAdd(
                a, rest[0], hn::MulAdd(b, rest[1], hn::MulAdd(c, rest[2], m(6 + k))));
            const auto old = at.here(row.self[k]);
            const auto change = hn::Mul(relax, hn::Sub(solved, old));
            hn::StoreU(hn::Add(old, change), d, row.self[k] + i);
            if (measure)
                largest = hn::Max(largest, hn::Abs(change));
        };
        const auto m01 = m(1), m02 = m(2), m12 = m(4);
        update(0, m(0), m01, m02);
        update(1, m01, m(3), m12);
        update(2, m02, m12, m(5));
    }
    return hn::GetLane(hn::MaxOfLanes(d, largest));
}

template <bool Weighted>
void ProductOfRow(const DivergenceRow& row, float* const (&out)[3]) {
    const Tag d;
    for (int i = 0; i < row.stride; i += lanes()) {
        const Place at(row, i);
        const Neighbors n = neighborsOf<true, Weighted>(row, at);
        for (int k = 0; k < 3; ++k) {
            const float edge = 0.5f * row.beta * row.scale[k] * row.scale[k];
            const Vec self = at.here(row.self[k]);
            Vec toBehind = hn::Sub(self, k == 0 ? n.behind[0] : n.across[2 * k - 2][k]);
            Vec toAhead = hn::Sub(self, k == 0 ? n.ahead[0] : n.across[2 * k - 1][k]);
            float factor = 2 * edge;
            if (Weighted) {
                const Vec own = at.here(row.weight);
                const Vec b = k == 0 ? hn::LoadU(d, row.weightBeside + at.low)
                                     : at.here(row.weightAcross[2 * k - 2]);
                const Vec a = k == 0 ? hn::LoadU(d, row.weightBeside + at.high)
                                     : at.here(row.weightAcross[2 * k - 1]);
                toBehind = hn::Mul(hn::Add(own, b), toBehind);
                toAhead = hn::Mul(hn::Add(own, a), toAhead);
                factor = edge;
            }
            hn::StoreU(hn::MulSub(hn::Set(d, factor), hn::Add(toBehind, toAhead), n.mixed[k]), d,
                       out[k] + i);
        }
    }
}

float SweepWithDivergence(const DivergenceRow& row, const DivergenceSweep& sweep, bool measure) {
    return row.weight ? SweepRow<true>(row, sweep, measure) : SweepRow<false>(row, sweep, measure);
}

void DivergenceOf(const DivergenceRow& row, float* const (&out)[3]) {
    if (row.weight)
        ProductOfRow<true>(row, out);
    else
        ProductOfRow<false>(row, out);
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(SweepWithDivergence);
HWY_EXPORT(DivergenceOf);

float sweepWithDivergence(const DivergenceRow& row, const DivergenceSweep& sweep, bool measure) {
    return HWY_DYNAMIC_DISPATCH(SweepWithDivergence)(row, sweep, measure);
}
void divergenceOf(const DivergenceRow& row, float* const (&out)[3]) {
    HWY_DYNAMIC_DISPATCH(DivergenceOf)(row, out);
}

} // namespace systole::rows
#endif
