#include "compute/methods/clg/solver/rows.h"

#include <algorithm>
#include <cstddef>

// Order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/methods/clg/solver/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

void Difference(const float* a1, const float* a0, const float* b1, const float* b0, float scale,
                int count, float* out) {
    const Tag d;
    for (int i = 0; i < count; i += lanes()) {
        const int part = count - i;
        auto sum = hn::Sub(loadPart(a1 + i, part), loadPart(a0 + i, part));
        if (b1)
            sum = hn::Add(sum, hn::Sub(loadPart(b1 + i, part), loadPart(b0 + i, part)));
        storePart(hn::Mul(sum, hn::Set(d, scale)), out + i, part);
    }
}

ResidualSum Products(const float* const (&gradient)[4], const float* inside, float epsilon,
                     int count, float* const (&out)[9]) {
    const Tag d;
    auto squared = hn::Zero(d), voxels = hn::Zero(d);
    for (int i = 0; i < count; i += lanes()) {
        const int part = count - i;
        const auto x = loadPart(gradient[0] + i, part), y = loadPart(gradient[1] + i, part),
                   z = loadPart(gradient[2] + i, part), t = loadPart(gradient[3] + i, part);
        auto weight = inside ? loadPart(inside + i, part) : hn::Set(d, 1.0f);
        voxels = hn::Add(voxels, weight);
        if (epsilon >= 0) {
            const auto norm =
                hn::MulAdd(x, x, hn::MulAdd(y, y, hn::MulAdd(z, z, hn::Set(d, epsilon))));
            weight = hn::Div(weight, norm);
        }
        const auto wx = hn::Mul(weight, x), wy = hn::Mul(weight, y), wz = hn::Mul(weight, z);
        storePart(hn::Mul(wx, x), out[0] + i, part);
        storePart(hn::Mul(wx, y), out[1] + i, part);
        storePart(hn::Mul(wx, z), out[2] + i, part);
        storePart(hn::Mul(wy, y), out[3] + i, part);
        storePart(hn::Mul(wy, z), out[4] + i, part);
        storePart(hn::Mul(wz, z), out[5] + i, part);
        storePart(hn::Mul(wx, t), out[6] + i, part);
        storePart(hn::Mul(wy, t), out[7] + i, part);
        storePart(hn::Mul(wz, t), out[8] + i, part);
        squared = hn::MulAdd(hn::Mul(weight, t), t, squared);
    }
    // The sum of voxels also counts lanes beyond the row's end if there is no mask.
    return {static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squared))),
            inside ? static_cast<double>(hn::GetLane(hn::SumOfLanes(d, voxels)))
                   : static_cast<double>(count)};
}

void RightHandSide(float* const (&c)[9], const float* const (&w0)[3], int count) {
    for (int i = 0; i < count; i += lanes()) {
        const int part = count - i;
        const auto j = [&](int k) HWY_ATTR { return loadPart(c[k] + i, part); };
        const auto u = loadPart(w0[0] + i, part), v = loadPart(w0[1] + i, part),
                   w = loadPart(w0[2] + i, part);
        const auto row = [&](int a, int b, int e, int r) HWY_ATTR {
            storePart(hn::MulAdd(j(a), u, hn::MulAdd(j(b), v, hn::MulSub(j(e), w, j(r)))), c[r] + i,
                      part);
        };
        row(0, 1, 2, 6);
        row(1, 3, 4, 7);
        row(2, 4, 5, 8);
    }
}

/// Loads 2·lanes values from `p`, even and odd ones separate.
HWY_INLINE void loadSplit(const float* p, int part, Vec& even, Vec& odd) {
    const Tag d;
    if (part >= 2 * lanes()) {
        hn::LoadInterleaved2(d, p, even, odd);
        return;
    }
    HWY_ALIGN float copy[2 * maximumLanes];
    hn::Store(loadPart(p, part), d, copy);
    hn::Store(loadPart(p + lanes(), part - lanes()), d, copy + lanes());
    hn::LoadInterleaved2(d, copy, even, odd);
}

HWY_INLINE void invertBlock(const Vec (&c)[9], Vec n, Vec valid, Vec (&out)[9]) {
    const Tag d;
    const auto a = hn::Add(c[0], n), b = c[1], e = c[2], f = hn::Add(c[3], n), g = c[4],
               h = hn::Add(c[5], n);
    const auto m00 = hn::MulSub(f, h, hn::Mul(g, g));
    const auto m01 = hn::MulSub(e, g, hn::Mul(b, h));
    const auto m02 = hn::MulSub(b, g, hn::Mul(e, f));
    const auto determinant = hn::MulAdd(a, m00, hn::MulAdd(b, m01, hn::Mul(e, m02)));
    // A voxel with neither neighbors nor data keeps its value zero.
    const auto solvable = hn::And(hn::Gt(determinant, hn::Zero(d)), hn::Gt(valid, hn::Zero(d)));
    const auto inverse = hn::IfThenElseZero(
        solvable,
        hn::Div(hn::Set(d, 1.0f), hn::IfThenElse(solvable, determinant, hn::Set(d, 1.0f))));
    out[0] = hn::Mul(m00, inverse);
    out[1] = hn::Mul(m01, inverse);
    out[2] = hn::Mul(m02, inverse);
    out[3] = hn::Mul(hn::MulSub(a, h, hn::Mul(e, e)), inverse);
    out[4] = hn::Mul(hn::MulSub(b, e, hn::Mul(a, g)), inverse);
    out[5] = hn::Mul(hn::MulSub(a, f, hn::Mul(b, b)), inverse);
    out[6] = hn::MulAdd(out[0], c[6], hn::MulAdd(out[1], c[7], hn::Mul(out[2], c[8])));
    out[7] = hn::MulAdd(out[1], c[6], hn::MulAdd(out[3], c[7], hn::Mul(out[4], c[8])));
    out[8] = hn::MulAdd(out[2], c[6], hn::MulAdd(out[4], c[7], hn::Mul(out[5], c[8])));
}

void SplitSystem(const float* const (&c)[9], const float* n, int count, int stride,
                 float* const (&even)[9], float* const (&odd)[9]) {
    const Tag d;
    for (int i = 0; i < stride; i += lanes()) {
        const int part = std::max(0, count - 2 * i);
        Vec evenIn[9], oddIn[9], evenN, oddN, result[9];
        for (int k = 0; k < 9; ++k)
            loadSplit(c[k] + 2 * i, part, evenIn[k], oddIn[k]);
        loadSplit(n + 2 * i, part, evenN, oddN);
        // A value is valid where its x lies in the row.
        const auto index = hn::Iota(d, static_cast<float>(i));
        const auto limit = hn::Set(d, static_cast<float>(count));
        const auto x = hn::Add(index, index);
        const auto one = hn::Set(d, 1.0f);
        invertBlock(evenIn, evenN, hn::IfThenElseZero(hn::Lt(x, limit), one), result);
        for (int k = 0; k < 9; ++k)
            hn::StoreU(result[k], d, even[k] + i);
        invertBlock(oddIn, oddN, hn::IfThenElseZero(hn::Lt(hn::Add(x, one), limit), one), result);
        for (int k = 0; k < 9; ++k)
            hn::StoreU(result[k], d, odd[k] + i);
    }
}

void SplitRow(const float* in, int count, int stride, float* even, float* odd) {
    const Tag d;
    for (int i = 0; i < stride; i += lanes()) {
        Vec a, b;
        loadSplit(in + 2 * i, std::max(0, count - 2 * i), a, b);
        hn::StoreU(a, d, even + i);
        hn::StoreU(b, d, odd + i);
    }
}

void MergeRow(const float* even, const float* odd, int count, float* out) {
    const Tag d;
    int i = 0;
    for (; 2 * (i + lanes()) <= count; i += lanes())
        hn::StoreInterleaved2(hn::LoadU(d, even + i), hn::LoadU(d, odd + i), d, out + 2 * i);
    for (int x = 2 * i; x < count; ++x)
        out[x] = (x & 1) ? odd[x / 2] : even[x / 2];
}

double Energy(const EnergyRow& row, int count) {
    const Tag d;
    const auto minusTwo = hn::Set(d, -2.0f);
    auto sum = hn::Zero(d);
    for (int i = 0; i < count; i += lanes()) {
        const int part = count - i;
        const auto s = [&](int k) HWY_ATTR { return loadPart(row.system[k] + i, part); };
        const auto u = loadPart(row.field[0] + i, part), v = loadPart(row.field[1] + i, part),
                   w = loadPart(row.field[2] + i, part);
        const auto add = [&](Vec t, Vec a, Vec b, Vec c, Vec constant) HWY_ATTR {
            const auto applied = hn::MulAdd(a, u, hn::MulAdd(b, v, hn::Mul(c, w)));
            sum = hn::MulAdd(t, hn::MulAdd(minusTwo, constant, applied), sum);
        };
        const auto s01 = s(1), s02 = s(2), s12 = s(4);
        add(u, s(0), s01, s02, s(6));
        add(v, s01, s(3), s12, s(7));
        add(w, s02, s12, s(5), s(8));
        const auto smooth = [&](const float* next, Vec here, float weight, int values) HWY_ATTR {
            const auto difference =
                hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(std::max(0, values))),
                                   hn::Sub(loadPart(next + i, values), here));
            sum = hn::MulAdd(hn::Mul(hn::Set(d, weight), difference), difference, sum);
        };
        const Vec here[3] = {u, v, w};
        for (int k = 0; k < 3; ++k) {
            smooth(row.field[k] + 1, here[k], row.weightX, part - 1);
            if (row.nextY[k])
                smooth(row.nextY[k], here[k], row.weightY, part);
            if (row.nextZ[k])
                smooth(row.nextZ[k], here[k], row.weightZ, part);
        }
    }
    return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

/// A row of SweepPlane: `neighbor`: the other color at y−1, y+1, z−1, z+1.
struct SweepRow {
    const float *system[9], *beside[3], *neighbor[4][3];
    float* self[3];
    int shift;
};

SweepRow rowOf(const SweepPlane& plane, int y) {
    const std::ptrdiff_t stride = plane.stride, at = stride * y;
    SweepRow row{};
    for (int k = 0; k < 9; ++k)
        row.system[k] = plane.system + 9 * at + k * stride;
    for (int k = 0; k < 3; ++k) {
        row.self[k] = plane.self[k] + at;
        row.beside[k] = plane.beside[k] + at;
        row.neighbor[0][k] = y > 0 ? row.beside[k] - plane.stride : plane.zeros;
        row.neighbor[1][k] = y + 1 < plane.rows ? row.beside[k] + plane.stride : plane.zeros;
        row.neighbor[2][k] = plane.below[k] ? plane.below[k] + at : plane.zeros;
        row.neighbor[3][k] = plane.above[k] ? plane.above[k] + at : plane.zeros;
    }
    row.shift = (plane.shift + y) & 1;
    return row;
}

float Sweep(const SweepPlane& plane, int firstRow, int endRow, float omega) {
    const Tag d;
    const auto wx = hn::Set(d, plane.weightX), wy = hn::Set(d, plane.weightY),
               wz = hn::Set(d, plane.weightZ), relax = hn::Set(d, omega);
    auto largest = hn::Zero(d);
    const auto first = hn::FirstN(d, 1);
    const auto last = hn::Not(hn::FirstN(d, hn::Lanes(d) - 1));
    for (int y = firstRow; y < endRow; ++y) {
        const SweepRow row = rowOf(plane, y);
        for (int i = 0; i < plane.stride; i += lanes()) {
            const auto neighbors = [&](int k) HWY_ATTR {
                auto low = hn::LoadU(d, row.beside[k] + i + row.shift - 1);
                auto high = hn::LoadU(d, row.beside[k] + i + row.shift);
                // Beyond the row's ends are other rows.
                if (row.shift == 0 && i == 0)
                    low = hn::IfThenZeroElse(first, low);
                if (row.shift == 1 && i + lanes() >= plane.stride)
                    high = hn::IfThenZeroElse(last, high);
                const auto y2 = hn::Add(hn::LoadU(d, row.neighbor[0][k] + i),
                                        hn::LoadU(d, row.neighbor[1][k] + i));
                const auto z2 = hn::Add(hn::LoadU(d, row.neighbor[2][k] + i),
                                        hn::LoadU(d, row.neighbor[3][k] + i));
                return hn::MulAdd(wx, hn::Add(low, high), hn::MulAdd(wy, y2, hn::Mul(wz, z2)));
            };
            const auto u = neighbors(0), v = neighbors(1), w = neighbors(2);
            const auto m = [&](int k) HWY_ATTR { return hn::LoadU(d, row.system[k] + i); };
            const auto update = [&](int k, Vec a, Vec b, Vec c, Vec constant) HWY_ATTR {
                const auto solved = hn::MulAdd(a, u, hn::MulAdd(b, v, hn::MulAdd(c, w, constant)));
                const auto old = hn::LoadU(d, row.self[k] + i);
                const auto change = hn::Mul(relax, hn::Sub(solved, old));
                hn::StoreU(hn::Add(old, change), d, row.self[k] + i);
                largest = hn::Max(largest, hn::Abs(change));
            };
            const auto m01 = m(1), m02 = m(2), m12 = m(4);
            update(0, m(0), m01, m02, m(6));
            update(1, m01, m(3), m12, m(7));
            update(2, m02, m12, m(5), m(8));
        }
    }
    return hn::GetLane(hn::MaxOfLanes(d, largest));
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::rows {

HWY_EXPORT(Difference);
HWY_EXPORT(Products);
HWY_EXPORT(RightHandSide);
HWY_EXPORT(SplitSystem);
HWY_EXPORT(SplitRow);
HWY_EXPORT(MergeRow);
HWY_EXPORT(Energy);
HWY_EXPORT(Sweep);

void difference(const float* a1, const float* a0, const float* b1, const float* b0, float scale,
                int count, float* out) {
    HWY_DYNAMIC_DISPATCH(Difference)(a1, a0, b1, b0, scale, count, out);
}
ResidualSum products(const float* const (&gradient)[4], const float* inside, float epsilon,
                     int count, float* const (&out)[9]) {
    return HWY_DYNAMIC_DISPATCH(Products)(gradient, inside, epsilon, count, out);
}
void rightHandSide(float* const (&c)[9], const float* const (&w0)[3], int count) {
    HWY_DYNAMIC_DISPATCH(RightHandSide)(c, w0, count);
}
void splitSystem(const float* const (&c)[9], const float* n, int count, int stride,
                 float* const (&even)[9], float* const (&odd)[9]) {
    HWY_DYNAMIC_DISPATCH(SplitSystem)(c, n, count, stride, even, odd);
}
void splitRow(const float* in, int count, int stride, float* even, float* odd) {
    HWY_DYNAMIC_DISPATCH(SplitRow)(in, count, stride, even, odd);
}
void mergeRow(const float* even, const float* odd, int count, float* out) {
    HWY_DYNAMIC_DISPATCH(MergeRow)(even, odd, count, out);
}
double energy(const EnergyRow& row, int count) { return HWY_DYNAMIC_DISPATCH(Energy)(row, count); }
float sweep(const SweepPlane& plane, int first, int end, float omega) {
    return HWY_DYNAMIC_DISPATCH(Sweep)(plane, first, end, omega);
}

} // namespace systole::rows
#endif
