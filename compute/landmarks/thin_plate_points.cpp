#include "compute/landmarks/thin_plate_points.h"

// Order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/landmarks/thin_plate_points.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::tps::HWY_NAMESPACE {
namespace vectors = systole::rows::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

/// Two vectors of points per term, so that square roots overlap.
void AddTerms(const Term* terms, std::size_t count, const float* const (&points)[3], int number,
              float* const (&out)[3]) {
    const vectors::Tag d;
    const int lanes = vectors::lanes();
    for (int first = 0; first < number; first += 2 * lanes) {
        const int left0 = number - first, left1 = left0 > lanes ? left0 - lanes : 0;
        const int second = left1 > 0 ? first + lanes : first;
        const auto x0 = vectors::loadPart(points[0] + first, left0),
                   y0 = vectors::loadPart(points[1] + first, left0),
                   z0 = vectors::loadPart(points[2] + first, left0);
        const auto x1 = vectors::loadPart(points[0] + second, left1),
                   y1 = vectors::loadPart(points[1] + second, left1),
                   z1 = vectors::loadPart(points[2] + second, left1);
        auto u0 = vectors::loadPart(out[0] + first, left0),
             v0 = vectors::loadPart(out[1] + first, left0),
             w0 = vectors::loadPart(out[2] + first, left0);
        auto u1 = vectors::loadPart(out[0] + second, left1),
             v1 = vectors::loadPart(out[1] + second, left1),
             w1 = vectors::loadPart(out[2] + second, left1);
        for (std::size_t j = 0; j < count; ++j) {
            const Term& t = terms[j];
            const auto tx = hn::Set(d, t.x), ty = hn::Set(d, t.y), tz = hn::Set(d, t.z);
            const auto dx0 = hn::Sub(tx, x0), dy0 = hn::Sub(ty, y0), dz0 = hn::Sub(tz, z0);
            const auto dx1 = hn::Sub(tx, x1), dy1 = hn::Sub(ty, y1), dz1 = hn::Sub(tz, z1);
            const auto r0 = hn::Sqrt(hn::MulAdd(dx0, dx0, hn::MulAdd(dy0, dy0, hn::Mul(dz0, dz0))));
            const auto r1 = hn::Sqrt(hn::MulAdd(dx1, dx1, hn::MulAdd(dy1, dy1, hn::Mul(dz1, dz1))));
            const auto wx = hn::Set(d, t.w[0]), wy = hn::Set(d, t.w[1]), wz = hn::Set(d, t.w[2]);
            u0 = hn::MulAdd(wx, r0, u0);
            u1 = hn::MulAdd(wx, r1, u1);
            v0 = hn::MulAdd(wy, r0, v0);
            v1 = hn::MulAdd(wy, r1, v1);
            w0 = hn::MulAdd(wz, r0, w0);
            w1 = hn::MulAdd(wz, r1, w1);
        }
        vectors::storePart(u0, out[0] + first, left0);
        vectors::storePart(v0, out[1] + first, left0);
        vectors::storePart(w0, out[2] + first, left0);
        if (left1 > 0) {
            vectors::storePart(u1, out[0] + second, left1);
            vectors::storePart(v1, out[1] + second, left1);
            vectors::storePart(w1, out[2] + second, left1);
        }
    }
}

} // namespace systole::tps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::tps {

HWY_EXPORT(AddTerms);

void addTerms(std::span<const Term> terms, const float* const (&points)[3], int count,
              float* const (&out)[3]) {
    HWY_DYNAMIC_DISPATCH(AddTerms)(terms.data(), terms.size(), points, count, out);
}

} // namespace systole::tps
#endif
