#include "compute/methods/clg/solver/divergence_rows.h"

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
using Index = std::ptrdiff_t;

/// The rows that the formulas read: as the tables say.
struct ListedRows {
    explicit ListedRows(const DivergenceRow& row) : r(row) {}

    float* self(int k) const { return r.self[k]; }
    const float* beside(int k) const { return r.beside[k]; }
    const float* across(int n, int k) const { return r.across[n][k]; }
    const float* besideAcross(int n, int k) const { return r.besideAcross[n][k > 0]; }
    const float* endsOfU(int n) const { return r.endsOfU[n]; }
    const float* diagonal(int n, int ahead) const { return r.diagonal[n][ahead]; }
    Vec signedBy(int n, Vec value) const { return hn::Mul(value, hn::Set(Tag(), r.sign[n])); }
    const float* weight() const { return r.weight; }
    const float* weightBeside() const { return r.weightBeside; }
    const float* weightAcross(int n) const { return r.weightAcross[n]; }

    const DivergenceRow& r;
};

/// Rows where all neighbors exist, addressed by distances: few enough to stay in registers.
struct InsideRows {
    explicit InsideRows(const DivergenceRow& row)
        : own(row.self[0])
        , other(row.beside[0])
        , ownWeight(row.weight)
        , otherWeight(row.weightBeside)
        , component(row.component)
        , y(row.y)
        , z(row.z) {}

    Index step(int n) const { return n < 2 ? (n == 0 ? -y : y) : (n == 2 ? -z : z); }

    float* self(int k) const { return own + k * component; }
    const float* beside(int k) const { return other + k * component; }
    const float* across(int n, int k) const { return other + k * component + step(n); }
    const float* besideAcross(int n, int k) const { return own + k * component + step(n); }
    const float* endsOfU(int n) const { return other + step(n); }
    const float* diagonal(int n, int ahead) const {
        return n < 2 ? own + 2 * component + step(n) + step(2 + ahead)
                     : own + component + step(n) + step(ahead);
    }
    static Vec signedBy(int, Vec value) { return value; }
    const float* weight() const { return ownWeight; }
    const float* weightBeside() const { return otherWeight; }
    const float* weightAcross(int n) const { return otherWeight ? otherWeight + step(n) : nullptr; }

    float* own;
    const float *other, *ownWeight, *otherWeight;
    Index component, y, z;
};

/// A vector's place: what reads it with its neighbors along x.
struct Place {
    /// The vector from value `from` on of the row that begins at value `start`.
    HWY_INLINE Place(const DivergenceRow& row, Index start, int from)
        : i(start + from)
        , low(i + row.shift - 1)
        , high(i + row.shift)
        , atStart(row.shift == 0 && from == 0)
        , atEnd(row.last >= from && row.last < from + lanes())
        , end(static_cast<float>(row.last - from)) {}

    HWY_INLINE Vec here(const float* p) const { return hn::LoadU(Tag(), p + i); }
    /// `value`, and `beyond` before the row's beginning.
    HWY_INLINE Vec started(Vec value, Vec beyond) const {
        return atStart ? hn::IfThenElse(hn::FirstN(Tag(), 1), beyond, value) : value;
    }
    HWY_INLINE Vec ended(Vec value, Vec beyond) const {
        if (!atEnd)
            return value;
        const Mask last = hn::Eq(hn::Iota(Tag(), 0), hn::Set(Tag(), end));
        return hn::IfThenElse(last, beyond, value);
    }
    HWY_INLINE Vec behind(const float* beside) const { return hn::LoadU(Tag(), beside + low); }
    HWY_INLINE Vec ahead(const float* beside) const { return hn::LoadU(Tag(), beside + high); }

    Index i, low, high;
    bool atStart, atEnd;
    float end;
};

/// beta s_k s_l / 4 for the pairs of components, beta s_k² / 2 for each.
struct Factors {
    explicit Factors(const DivergenceRow& row) {
        const Tag d;
        const float* const s = row.scale;
        const float b = row.beta;
        xy = hn::Set(d, 0.25f * b * s[0] * s[1]);
        xz = hn::Set(d, 0.25f * b * s[0] * s[2]);
        yz = hn::Set(d, 0.25f * b * s[1] * s[2]);
        for (int k = 0; k < 3; ++k)
            edge[k] = hn::Set(d, 0.5f * b * s[k] * s[k]);
    }
    Vec xy, xz, yz, edge[3];
};

/// The mixed terms that component K gets from the other components, at the vector's voxels.
template <bool Weighted, int K, typename Rows>
HWY_INLINE Vec mixed(const Rows& rows, const Factors& f, const Place& at) {
    const auto product = [](Vec a, Vec first, Vec b, Vec second)
                             HWY_ATTR { return hn::MulAdd(a, first, hn::Mul(b, second)); };
    const auto weighted = [&](Vec m, Vec weight)
                              HWY_ATTR { return Weighted ? hn::Mul(m, weight) : m; };
    // The rows of a missing weight are null pointers, to which nothing may be added.
    const auto weightAt = [&](const float* p, auto offset) HWY_ATTR {
        return Weighted ? hn::LoadU(Tag(), p + offset) : hn::Zero(Tag());
    };
    if constexpr (K == 0) {
        const auto beside = [&](Index i) HWY_ATTR {
            const auto along = [&](int n, int k) HWY_ATTR {
                return hn::Sub(hn::LoadU(Tag(), rows.besideAcross(n + 1, k) + i),
                               hn::LoadU(Tag(), rows.besideAcross(n, k) + i));
            };
            return weighted(product(f.xy, along(0, 1), f.xz, along(2, 2)),
                            weightAt(rows.weightBeside(), i));
        };
        Vec low = beside(at.low), high = beside(at.high);
        if (at.atStart || at.atEnd) {
            const auto along = [&](int n, int k) HWY_ATTR {
                return hn::Sub(at.here(rows.across(n + 1, k)), at.here(rows.across(n, k)));
            };
            const Vec own = hn::Neg(weighted(product(f.xy, along(0, 1), f.xz, along(2, 2)),
                                             weightAt(rows.weight(), at.i)));
            low = at.started(low, own);
            high = at.ended(high, own);
        }
        return hn::Sub(high, low);
    } else {
        const auto neighbor = [&](int n) HWY_ATTR {
            Vec ahead = at.ahead(rows.besideAcross(n, 0)),
                behind = at.behind(rows.besideAcross(n, 0));
            if (at.atStart || at.atEnd) {
                const Vec end = at.here(rows.endsOfU(n));
                ahead = at.ended(ahead, end);
                behind = at.started(behind, end);
            }
            const Vec third = hn::Sub(at.here(rows.diagonal(n, 1)), at.here(rows.diagonal(n, 0)));
            const Vec m = product(K == 1 ? f.xy : f.xz, hn::Sub(ahead, behind), f.yz, third);
            return rows.signedBy(n, weighted(m, weightAt(rows.weightAcross(n), at.i)));
        };
        return hn::Sub(neighbor(2 * K - 1), neighbor(2 * K - 2));
    }
}

/// Neighbors along the component's own axis, behind and ahead; beyond the row's ends, `beyond`.
template <int K, typename Rows>
HWY_INLINE void ownAxis(const Rows& rows, const Place& at, Vec beyond, Vec& behind, Vec& ahead) {
    if constexpr (K == 0) {
        behind = at.started(at.behind(rows.beside(0)), beyond);
        ahead = at.ended(at.ahead(rows.beside(0)), beyond);
    } else {
        behind = at.here(rows.across(2 * K - 2, K));
        ahead = at.here(rows.across(2 * K - 1, K));
    }
}

/// c(p) + c(q) of the neighbors along axis K.
template <int K, typename Rows>
HWY_INLINE void ownWeights(const Rows& rows, const Place& at, Vec& behind, Vec& ahead) {
    const Vec own = at.here(rows.weight());
    behind = hn::Add(own, K == 0 ? at.behind(rows.weightBeside())
                                 : at.here(rows.weightAcross(K == 0 ? 0 : 2 * K - 2)));
    ahead = hn::Add(own, K == 0 ? at.ahead(rows.weightBeside())
                                : at.here(rows.weightAcross(K == 0 ? 0 : 2 * K - 1)));
}

/// Σ_q weight_q t_q of component K.
template <bool Weighted, int K, typename Rows>
HWY_INLINE Vec restOf(const Rows& rows, const Factors& f, const Vec (&smoothness)[3],
                      const Place& at) {
    const Vec zero = hn::Zero(Tag());
    const auto x = hn::Add(at.started(at.behind(rows.beside(K)), zero),
                           at.ended(at.ahead(rows.beside(K)), zero));
    const auto y = hn::Add(at.here(rows.across(0, K)), at.here(rows.across(1, K)));
    const auto z = hn::Add(at.here(rows.across(2, K)), at.here(rows.across(3, K)));
    Vec sum = hn::MulAdd(smoothness[0], x,
                         hn::MulAdd(smoothness[1], y,
                                    hn::MulAdd(smoothness[2], z, mixed<Weighted, K>(rows, f, at))));
    if constexpr (Weighted) {
        Vec behind, ahead, cBehind, cAhead;
        ownAxis<K>(rows, at, zero, behind, ahead);
        ownWeights<K>(rows, at, cBehind, cAhead);
        sum = hn::MulAdd(f.edge[K], hn::MulAdd(cBehind, behind, hn::Mul(cAhead, ahead)), sum);
    } else {
        const Vec own = K == 0 ? x : K == 1 ? y : z;
        sum = hn::MulAdd(hn::Add(f.edge[K], f.edge[K]), own, sum);
    }
    return sum;
}

template <bool Weighted, typename Rows>
float SweepRows(const DivergenceRow& row, const DivergenceSweep& s) {
    const Tag d;
    const Rows rows(row);
    const Factors factors(row);
    const Vec smoothness[3] = {hn::Set(d, s.smoothness[0]), hn::Set(d, s.smoothness[1]),
                               hn::Set(d, s.smoothness[2])};
    const auto relax = hn::Set(d, s.omega);
    auto largest = hn::Zero(d);
    const Index stride = row.stride;
    for (int n = 0; n <= row.more; ++n)
        for (int from = 0; from < row.stride; from += lanes()) {
            const Place at(row, 2 * stride * n, from);
            const Vec u = restOf<Weighted, 0>(rows, factors, smoothness, at),
                      v = restOf<Weighted, 1>(rows, factors, smoothness, at),
                      w = restOf<Weighted, 2>(rows, factors, smoothness, at);
            const auto m = [&](int k) HWY_ATTR {
                return hn::LoadU(d, s.system[k] + 9 * stride * n + from);
            };
            const auto update = [&](int k, Vec a, Vec b, Vec c) HWY_ATTR {
                const auto solved = hn::MulAdd(a, u, hn::MulAdd(b, v, hn::MulAdd(c, w, m(6 + k))));
                const auto old = at.here(rows.self(k));
                const auto change = hn::Mul(relax, hn::Sub(solved, old));
                hn::StoreU(hn::Add(old, change), d, rows.self(k) + at.i);
                largest = hn::Max(largest, hn::Abs(change));
            };
            const auto m01 = m(1), m02 = m(2), m12 = m(4);
            update(0, m(0), m01, m02);
            update(1, m01, m(3), m12);
            update(2, m02, m12, m(5));
        }
    return hn::GetLane(hn::MaxOfLanes(d, largest));
}

template <bool Weighted, int K>
HWY_INLINE void productOf(const ListedRows& rows, const Factors& f, const Place& at, float* out) {
    const Vec self = at.here(rows.self(K));
    Vec behind, ahead;
    ownAxis<K>(rows, at, self, behind, ahead);
    Vec straight;
    if constexpr (Weighted) {
        Vec cBehind, cAhead;
        ownWeights<K>(rows, at, cBehind, cAhead);
        straight =
            hn::MulAdd(cBehind, hn::Sub(self, behind), hn::Mul(cAhead, hn::Sub(self, ahead)));
    } else {
        straight = hn::Add(hn::Sub(self, behind), hn::Sub(self, ahead));
        straight = hn::Add(straight, straight);
    }
    hn::StoreU(hn::MulSub(f.edge[K], straight, mixed<Weighted, K>(rows, f, at)), Tag(), out + at.i);
}

template <bool Weighted>
void ProductOfRow(const DivergenceRow& row, float* const (&out)[3]) {
    const ListedRows rows(row);
    const Factors factors(row);
    for (int from = 0; from < row.stride; from += lanes()) {
        const Place at(row, 0, from);
        productOf<Weighted, 0>(rows, factors, at, out[0]);
        productOf<Weighted, 1>(rows, factors, at, out[1]);
        productOf<Weighted, 2>(rows, factors, at, out[2]);
    }
}

float SweepWithDivergence(const DivergenceRow& row, const DivergenceSweep& sweep) {
    if (row.inside)
        return row.weight ? SweepRows<true, InsideRows>(row, sweep)
                          : SweepRows<false, InsideRows>(row, sweep);
    return row.weight ? SweepRows<true, ListedRows>(row, sweep)
                      : SweepRows<false, ListedRows>(row, sweep);
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

float sweepWithDivergence(const DivergenceRow& row, const DivergenceSweep& sweep) {
    return HWY_DYNAMIC_DISPATCH(SweepWithDivergence)(row, sweep);
}
void divergenceOf(const DivergenceRow& row, float* const (&out)[3]) {
    HWY_DYNAMIC_DISPATCH(DivergenceOf)(row, out);
}

} // namespace systole::rows
#endif
