#include "compute/landmarks/descriptor_rows.h"

#include "compute/core/unroll.h"
#include "compute/landmarks/sest_math.h"

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/landmarks/descriptor_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::sest::rows::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using systole::rows::HWY_NAMESPACE::lanes;
using systole::rows::HWY_NAMESPACE::storePart;
using systole::rows::HWY_NAMESPACE::Tag;
using systole::rows::HWY_NAMESPACE::Vec;

/// featuresAt() of sest_math.h for a vector of places.
HWY_INLINE void loadFeatures(const FrameRows& rows, int x, Vec (&v)[features]) {
    const Tag d;
    const auto at = [&](int dx, int dy, int dz)
                        HWY_ATTR { return hn::LoadU(d, rows.at[1 + dz][1 + dy] + x + dx); };
    const auto twice = [](Vec a) HWY_ATTR { return hn::Add(a, a); };
    const Vec center = at(0, 0, 0), two = twice(center), quarter = hn::Set(d, 0.25f);
    const auto second = [&](Vec after, Vec before)
                            HWY_ATTR { return hn::Add(hn::Sub(after, two), before); };
    const auto mixed = [&](Vec pp, Vec pm, Vec mp, Vec mm) HWY_ATTR {
        return hn::Mul(quarter, hn::Add(hn::Sub(hn::Sub(pp, pm), mp), mm));
    };
    v[0] = center;
    v[1] = second(at(1, 0, 0), at(-1, 0, 0));
    v[2] = second(at(0, 1, 0), at(0, -1, 0));
    v[3] = second(at(0, 0, 1), at(0, 0, -1));
    v[4] = mixed(at(1, 1, 0), at(1, -1, 0), at(-1, 1, 0), at(-1, -1, 0));
    v[5] = mixed(at(1, 0, 1), at(1, 0, -1), at(-1, 0, 1), at(-1, 0, -1));
    v[6] = mixed(at(0, 1, 1), at(0, 1, -1), at(0, -1, 1), at(0, -1, -1));
}

void SumProducts(const FrameRows* rows, int planes, int first, int count, std::ptrdiff_t stride,
                 float* sums) {
    const Tag d;
    for (int x = 0; x < count; x += lanes()) {
        Vec sum[triangle];
        _Pragma("GCC unroll 28") for (int k = 0; k < triangle; ++k) sum[k] = hn::Zero(d);
        for (int plane = 0; plane < planes; ++plane) {
            Vec v[features];
            loadFeatures(rows[plane], first + x, v);
            SYSTOLE_UNROLL
            for (int i = 0; i < features; ++i) {
                SYSTOLE_UNROLL
                for (int j = 0; j <= i; ++j)
                    sum[inTriangle(i, j)] = hn::MulAdd(v[i], v[j], sum[inTriangle(i, j)]);
            }
        }
        _Pragma("GCC unroll 28") for (int k = 0; k < triangle; ++k)
            hn::StoreU(sum[k], d, sums + k * stride + x);
    }
}

void AddRows(const float* const* sums, int rows, int count, std::ptrdiff_t stride, float* out) {
    const Tag d;
    for (int k = 0; k < triangle; ++k)
        for (int x = 0; x < count; x += lanes()) {
            const std::ptrdiff_t i = k * stride + x;
            Vec sum = hn::LoadU(d, sums[0] + i);
            for (int row = 1; row < rows; ++row)
                sum = hn::Add(sum, hn::LoadU(d, sums[row] + i));
            hn::StoreU(sum, d, out + i);
        }
}

/// decompose() of sest_math.h for a vector of places.
HWY_INLINE void decomposeVector(Vec (&tensor)[triangle]) {
    const Tag d;
    const Vec least = hn::Set(d, leastDiagonal), part = hn::Set(d, ridgePart),
              one = hn::Set(d, 1.0f);
    Vec inverse[features];
    SYSTOLE_UNROLL
    for (int i = 0; i < features; ++i) {
        SYSTOLE_UNROLL
        for (int j = 0; j <= i; ++j) {
            Vec sum = tensor[inTriangle(i, j)];
            if (i == j)
                sum = hn::Add(hn::MulAdd(sum, part, sum), least);
            SYSTOLE_UNROLL
            for (int k = 0; k < j; ++k)
                sum = hn::NegMulAdd(tensor[inTriangle(i, k)], tensor[inTriangle(j, k)], sum);
            if (i == j) {
                const Vec root = hn::Sqrt(hn::Max(sum, least));
                inverse[i] = hn::Div(one, root);
                tensor[inTriangle(i, i)] = root;
            } else {
                tensor[inTriangle(i, j)] = hn::Mul(sum, inverse[j]);
            }
        }
    }
}

HWY_INLINE void decomposeWindow(const float* sums, std::ptrdiff_t stride, int width, float* out,
                                std::ptrdiff_t outStride) {
    const Tag d;
    Vec tensor[triangle];
    _Pragma("GCC unroll 28") for (int k = 0; k < triangle; ++k) {
        const float* const row = sums + k * stride;
        Vec sum = hn::LoadU(d, row);
        for (int x = 1; x < width; ++x)
            sum = hn::Add(sum, hn::LoadU(d, row + x));
        tensor[k] = sum;
    }
    decomposeVector(tensor);
    _Pragma("GCC unroll 28") for (int k = 0; k < triangle; ++k)
        hn::StoreU(tensor[k], d, out + k * outStride);
}

void DecomposeHalves(const float* sums, std::ptrdiff_t stride, int radius, int count, float* lower,
                     float* upper, std::ptrdiff_t outStride) {
    for (int x = 0; x < count; x += lanes()) {
        decomposeWindow(sums + x - radius, stride, radius, lower + x, outStride);
        decomposeWindow(sums + x, stride, radius + 1, upper + x, outStride);
    }
}

void SquaredDistances(const float* descriptors, std::ptrdiff_t stride, const float* reference,
                      int count, float* out) {
    const Tag d;
    static_assert(numbers % 2 == 0);
    const int step = lanes();
    for (int x = 0; x < count; x += 2 * step) {
        // Two vectors at once, and even and odd numbers apart: four sums that don't wait for each
        // other.
        Vec even0 = hn::Zero(d), odd0 = even0, even1 = even0, odd1 = even0;
        const float* p = descriptors + x;
        for (int n = 0; n < numbers; n += 2, p += 2 * stride) {
            const Vec a = hn::Set(d, reference[n]), b = hn::Set(d, reference[n + 1]);
            const Vec e0 = hn::Sub(hn::LoadU(d, p), a), e1 = hn::Sub(hn::LoadU(d, p + step), a);
            const Vec o0 = hn::Sub(hn::LoadU(d, p + stride), b),
                      o1 = hn::Sub(hn::LoadU(d, p + stride + step), b);
            even0 = hn::MulAdd(e0, e0, even0);
            even1 = hn::MulAdd(e1, e1, even1);
            odd0 = hn::MulAdd(o0, o0, odd0);
            odd1 = hn::MulAdd(o1, o1, odd1);
        }
        storePart(hn::Add(even0, odd0), out + x, count - x);
        if (x + step < count)
            storePart(hn::Add(even1, odd1), out + x + step, count - x - step);
    }
}

} // namespace systole::sest::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::sest::rows {

HWY_EXPORT(SumProducts);
HWY_EXPORT(AddRows);
HWY_EXPORT(DecomposeHalves);
HWY_EXPORT(SquaredDistances);

void sumProducts(const FrameRows* rows, int planes, int first, int count, std::ptrdiff_t stride,
                 float* sums) {
    HWY_DYNAMIC_DISPATCH(SumProducts)(rows, planes, first, count, stride, sums);
}
void addRows(const float* const* sums, int rows, int count, std::ptrdiff_t stride, float* out) {
    HWY_DYNAMIC_DISPATCH(AddRows)(sums, rows, count, stride, out);
}
void decomposeHalves(const float* sums, std::ptrdiff_t stride, int radius, int count, float* lower,
                     float* upper, std::ptrdiff_t outStride) {
    HWY_DYNAMIC_DISPATCH(DecomposeHalves)(sums, stride, radius, count, lower, upper, outStride);
}
void squaredDistances(const float* descriptors, std::ptrdiff_t stride, const float* reference,
                      int count, float* out) {
    HWY_DYNAMIC_DISPATCH(SquaredDistances)(descriptors, stride, reference, count, out);
}

} // namespace systole::sest::rows
#endif
