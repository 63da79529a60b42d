// Trilinear sampling of a vector of positions, shared by the row kernel files: the counterpart of
// compute/ops/sample.h. Compiled once per instruction set, inside their target namespaces: hence
// the guard that toggles.
#if defined(SYSTOLE_ROW_TRILINEAR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLE_ROW_TRILINEAR_INL_H
#undef SYSTOLE_ROW_TRILINEAR_INL_H
#else
#define SYSTOLE_ROW_TRILINEAR_INL_H
#endif

#include "compute/ops/row_kernels.h"
#include "compute/ops/row_vectors-inl.h"
#include "compute/ops/sample.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

using IntTag = hn::RebindToSigned<Tag>;

/// One axis of a trilinear position: the lower index, the fraction, and distanceOutside.
struct AxisPosition {
    hn::Vec<IntTag> index;
    Vec fraction;
    Vec outside;
};

HWY_INLINE AxisPosition locate(Vec position, int size) {
    const Tag d;
    const IntTag di;
    AxisPosition a;
    const auto last = hn::Set(d, static_cast<float>(size - 1));
    const auto clamped = hn::Min(hn::Max(position, hn::Zero(d)), last);
    a.outside = size == 1 ? hn::Set(d, -1.0f) : hn::Max(hn::Neg(position), hn::Sub(position, last));
    // The lower index stays one below the last, so that its upper neighbor exists.
    const auto low = hn::Min(hn::ConvertTo(di, clamped), hn::Set(di, std::max(0, size - 2)));
    a.index = low;
    a.fraction = hn::Sub(clamped, hn::ConvertTo(d, low));
    return a;
}

struct Trilinear {
    AxisPosition x, y, z;
    hn::Vec<IntTag> base;
    int stepX, stepY, stepZ;

    HWY_INLINE Trilinear(const Volume& volume, Vec px, Vec py, Vec pz)
        : x(locate(px, volume.size.x))
        , y(locate(py, volume.size.y))
        , z(locate(pz, volume.size.z))
        , stepX(volume.size.x > 1 ? 1 : 0)
        , stepY(volume.size.y > 1 ? volume.size.x : 0)
        , stepZ(volume.size.z > 1 ? volume.size.x * volume.size.y : 0) {
        const IntTag di;
        base = hn::Add(x.index,
                       hn::Mul(hn::Set(di, volume.size.x),
                               hn::Add(y.index, hn::Mul(hn::Set(di, volume.size.y), z.index))));
    }

    HWY_INLINE Vec sample(const float* data) const {
        const Tag d;
        const auto along = [&](const float* row) HWY_ATTR {
            const auto a = hn::GatherIndex(d, row, base);
            const auto b = hn::GatherIndex(d, row + stepX, base);
            return hn::MulAdd(x.fraction, hn::Sub(b, a), a);
        };
        const auto plane = [&](const float* slice) HWY_ATTR {
            const auto a = along(slice);
            const auto b = along(slice + stepY);
            return hn::MulAdd(y.fraction, hn::Sub(b, a), a);
        };
        const auto a = plane(data);
        const auto b = plane(data + stepZ);
        return hn::MulAdd(z.fraction, hn::Sub(b, a), a);
    }

    /// The value, and the derivative along each axis within the cell.
    HWY_INLINE Vec sampleWithSlopes(const float* data, Vec (&gradient)[3]) const {
        const Tag d;
        const auto mix = [](Vec a, Vec b, Vec t)
                             HWY_ATTR { return hn::MulAdd(t, hn::Sub(b, a), a); };
        const auto at = [&](const float* corner)
                            HWY_ATTR { return hn::GatherIndex(d, corner, base); };
        const float* const far = data + stepZ;
        const Vec corners[8] = {
            at(data), at(data + stepX), at(data + stepY), at(data + stepY + stepX),
            at(far),  at(far + stepX),  at(far + stepY),  at(far + stepY + stepX)};
        Vec along[4], slopes[4];
        for (int row = 0; row < 4; ++row) {
            slopes[row] = hn::Sub(corners[2 * row + 1], corners[2 * row]);
            along[row] = hn::MulAdd(x.fraction, slopes[row], corners[2 * row]);
        }
        gradient[0] = mix(mix(slopes[0], slopes[1], y.fraction),
                          mix(slopes[2], slopes[3], y.fraction), z.fraction);
        gradient[1] = mix(hn::Sub(along[1], along[0]), hn::Sub(along[3], along[2]), z.fraction);
        const auto near = mix(along[0], along[1], y.fraction);
        const auto beyond = mix(along[2], along[3], y.fraction);
        gradient[2] = hn::Sub(beyond, near);
        return mix(near, beyond, z.fraction);
    }

    /// Sample and the derivative of sample(), inside the grid as TrilinearGradient has it.
    HWY_INLINE Vec sampleWithGradient(const float* data, Vec (&gradient)[3]) const {
        const Tag d;
        const auto value = sampleWithSlopes(data, gradient);
        const AxisPosition* const axes[] = {&x, &y, &z};
        const int steps[] = {stepX, stepY, stepZ};
        for (int axis = 0; axis < 3; ++axis) {
            const auto onPlane =
                hn::And(hn::Eq(axes[axis]->fraction, hn::Zero(d)),
                        hn::RebindMask(d, hn::Gt(axes[axis]->index, hn::Zero(IntTag()))));
            if (hn::AllFalse(d, onPlane))
                continue;
            Trilinear before = *this;
            before.base = hn::Sub(base, hn::IfThenElseZero(hn::RebindMask(IntTag(), onPlane),
                                                           hn::Set(IntTag(), steps[axis])));
            const auto slope = hn::Sub(value, before.sample(data));
            gradient[axis] = hn::IfThenElse(
                onPlane, hn::Mul(hn::Set(d, 0.5f), hn::Add(gradient[axis], slope)), gradient[axis]);
        }
        return value;
    }

    /// As NoiseLoss.
    HWY_INLINE Vec noiseLoss(Vec (&slope)[3]) const {
        const Tag d;
        const Vec one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f);
        const Vec parts[3] = {x.fraction, y.fraction, z.fraction};
        Vec kept[3], steep[3];
        for (int i = 0; i < 3; ++i) {
            const Vec f = parts[i];
            kept[i] = hn::MulAdd(hn::Mul(two, f), hn::Sub(f, one), one);
            steep[i] = hn::IfThenElseZero(hn::And(hn::Gt(f, hn::Zero(d)), hn::Lt(f, one)),
                                          hn::NegMulAdd(hn::Set(d, 4.0f), f, two));
        }
        const Vec across = hn::Mul(kept[1], kept[2]);
        slope[0] = hn::Mul(steep[0], across);
        slope[1] = hn::Mul(steep[1], hn::Mul(kept[0], kept[2]));
        slope[2] = hn::Mul(steep[2], hn::Mul(kept[0], kept[1]));
        return hn::NegMulAdd(kept[0], across, one);
    }

    HWY_INLINE Vec insideWeight() const {
        const Tag d;
        const auto farthest = hn::Max(x.outside, hn::Max(y.outside, z.outside));
        const auto weight =
            hn::NegMulAdd(farthest, hn::Set(d, 0.5f / borderFade), hn::Set(d, 0.5f));
        return hn::Min(hn::Max(weight, hn::Zero(d)), hn::Set(d, 1.0f));
    }
};

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
