#include "compute/lab/kernels/thin_plate_rows.h"

// Order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/lab/kernels/thin_plate_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "compute/ops/row_vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::lab::HWY_NAMESPACE {
namespace vectors = systole::rows::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

/// Two vectors of voxels per coefficient, so that square roots overlap.
void TransformRow(const tps::Affine& affine, const tps::Term* terms, std::size_t count, float y,
                  float z, int voxels, float* const (&out)[3]) {
    const vectors::Tag d;
    const int lanes = vectors::lanes();
    for (int first = 0; first < voxels; first += 2 * lanes) {
        const auto x0 = hn::Iota(d, static_cast<float>(first));
        const auto x1 = hn::Add(x0, hn::Set(d, static_cast<float>(lanes)));
        auto u0 = hn::Zero(d), v0 = u0, w0 = u0, u1 = u0, v1 = u0, w1 = u0;
        for (std::size_t j = 0; j < count; ++j) {
            const tps::Term& t = terms[j];
            const float dy = t.y - y, dz = t.z - z;
            const auto across = hn::Set(d, dy * dy + dz * dz);
            const auto dx0 = hn::Sub(hn::Set(d, t.x), x0), dx1 = hn::Sub(hn::Set(d, t.x), x1);
            const auto r0 = hn::Sqrt(hn::MulAdd(dx0, dx0, across));
            const auto r1 = hn::Sqrt(hn::MulAdd(dx1, dx1, across));
            const auto wx = hn::Set(d, t.w[0]), wy = hn::Set(d, t.w[1]), wz = hn::Set(d, t.w[2]);
            u0 = hn::MulAdd(wx, r0, u0);
            u1 = hn::MulAdd(wx, r1, u1);
            v0 = hn::MulAdd(wy, r0, v0);
            v1 = hn::MulAdd(wy, r1, v1);
            w0 = hn::MulAdd(wz, r0, w0);
            w1 = hn::MulAdd(wz, r1, w1);
        }
        const auto store = [&](vectors::Vec sum, vectors::Vec x, int c, int at) HWY_ATTR {
            const float(&r)[4] = affine.of[c];
            const auto value = hn::Add(
                hn::MulAdd(hn::Set(d, r[1]), x, hn::Set(d, r[0] + r[2] * y + r[3] * z)), sum);
            vectors::storePart(value, out[c] + at, voxels - at);
        };
        store(u0, x0, 0, first);
        store(v0, x0, 1, first);
        store(w0, x0, 2, first);
        if (const int next = first + lanes; next < voxels) {
            store(u1, x1, 0, next);
            store(v1, x1, 1, next);
            store(w1, x1, 2, next);
        }
    }
}

} // namespace systole::lab::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::lab {

HWY_EXPORT(TransformRow);

void transformRow(const tps::Affine& affine, std::span<const tps::Term> terms, float y, float z,
                  int count, float* const (&out)[3]) {
    HWY_DYNAMIC_DISPATCH(TransformRow)(affine, terms.data(), terms.size(), y, z, count, out);
}

} // namespace systole::lab
#endif
