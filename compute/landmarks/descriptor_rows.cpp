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

/// 1/√ by the processor's estimate and a Newton step: within 2⁻²¹.
HWY_INLINE Vec inverseRoot(Vec square) {
    const Tag d;
    const Vec estimate = hn::ApproximateReciprocalSqrt(square);
    const Vec half = hn::Mul(hn::Mul(square, hn::Set(d, 0.5f)), estimate);
    return hn::Mul(estimate, hn::NegMulAdd(half, estimate, hn::Set(d, 1.5f)));
}

/// decompose() of sest_math.h for a vector of places.
HWY_INLINE void decomposeVector(Vec (&tensor)[triangle]) {
    const Tag d;
    const Vec least = hn::Set(d, minDiagonal), part = hn::Set(d, ridgePart);
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
                const Vec square = hn::Max(sum, least);
                inverse[i] = inverseRoot(square);
                tensor[inTriangle(i, i)] = hn::Mul(square, inverse[i]);
            } else {
                tensor[inTriangle(i, j)] = hn::Mul(sum, inverse[j]);
            }
        }
    }
}

/// The sum of `radius` places from x on is the whole lower half of place x + radius, and the upper
/// one of place x but for its last: made once and kept in `windows`, 28 rows of `windowStride`.
constexpr std::ptrdiff_t windowStride = greatestWidth + slack;

HWY_INLINE void sumWindow(const float* sums, std::ptrdiff_t stride, int radius, float* window,
                          Vec (&tensor)[triangle]) {
    const Tag d;
    _Pragma("GCC unroll 28") for (int k = 0; k < triangle; ++k) {
        const float* const row = sums + k * stride;
        Vec sum = hn::LoadU(d, row);
        for (int x = 1; x < radius; ++x)
            sum = hn::Add(sum, hn::LoadU(d, row + x));
        hn::StoreU(sum, d, window + k * windowStride);
        tensor[k] = hn::Add(sum, hn::LoadU(d, row + radius));
    }
}

HWY_INLINE void storeDecomposed(Vec (&tensor)[triangle], float* out, std::ptrdiff_t stride) {
    const Tag d;
    decomposeVector(tensor);
    _Pragma("GCC unroll 28") for (int k = 0; k < triangle; ++k)
        hn::StoreU(tensor[k], d, out + k * stride);
}

void DecomposeHalves(const float* sums, std::ptrdiff_t stride, int radius, int count, float* lower,
                     float* upper, std::ptrdiff_t outStride) {
    const Tag d;
    HWY_ALIGN float windows[triangle * windowStride];
    const int step = lanes();
    Vec tensor[triangle];
    // The first `radius` places need windows before place 0.
    float* const first = windows + (radius + step - 1) / step * step;
    for (int x = -((radius + step - 1) / step * step); x < 0; x += step)
        sumWindow(sums + x, stride, radius, first + x, tensor);
    for (int x = 0; x < count; x += step) {
        sumWindow(sums + x, stride, radius, first + x, tensor);
        storeDecomposed(tensor, upper + x, outStride);
        _Pragma("GCC unroll 28") for (int k = 0; k < triangle; ++k) tensor[k] =
            hn::LoadU(d, first + k * windowStride + x - radius);
        storeDecomposed(tensor, lower + x, outStride);
    }
}

/// Descriptors of `vectors` vectors of places. Even and odd numbers are summed apart, so that there
/// are sums enough that don't wait for each other.
template <int vectors>
HWY_INLINE void distanceVectors(const float* descriptors, std::ptrdiff_t stride,
                                const float* reference, int count, float* out) {
    static_assert(numbers % 2 == 0);
    const Tag d;
    const int step = lanes();
    Vec even[vectors], odd[vectors];
    SYSTOLE_UNROLL
    for (int i = 0; i < vectors; ++i)
        even[i] = odd[i] = hn::Zero(d);
    const float* p = descriptors;
    for (int n = 0; n < numbers; n += 2, p += 2 * stride) {
        const Vec a = hn::Set(d, reference[n]), b = hn::Set(d, reference[n + 1]);
        SYSTOLE_UNROLL
        for (int i = 0; i < vectors; ++i) {
            const Vec e = hn::Sub(hn::LoadU(d, p + i * step), a);
            const Vec o = hn::Sub(hn::LoadU(d, p + stride + i * step), b);
            even[i] = hn::MulAdd(e, e, even[i]);
            odd[i] = hn::MulAdd(o, o, odd[i]);
        }
    }
    SYSTOLE_UNROLL
    for (int i = 0; i < vectors; ++i)
        storePart(hn::Add(even[i], odd[i]), out + i * step, count - i * step);
}

void SquaredDistances(const float* descriptors, std::ptrdiff_t stride, const float* reference,
                      int count, float* out) {
    const int step = lanes();
    int x = 0;
    for (; count - x > step; x += 2 * step)
        distanceVectors<2>(descriptors + x, stride, reference, count - x, out + x);
    if (x < count)
        distanceVectors<1>(descriptors + x, stride, reference, count - x, out + x);
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
