// logarithmOf() of a vector, shared by the row kernel files. Compiled once per instruction set,
// inside their target namespaces: hence the guard that toggles.
#if defined(SYSTOLE_ROW_LOGARITHM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLE_ROW_LOGARITHM_INL_H
#undef SYSTOLE_ROW_LOGARITHM_INL_H
#else
#define SYSTOLE_ROW_LOGARITHM_INL_H
#endif

#include "compute/ops/logarithm.h"
#include "compute/ops/row_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {

HWY_INLINE Vec logarithmOf(Vec value) {
    using T = LogarithmTerms;
    const Tag d;
    const hn::RebindToSigned<Tag> di;
    const auto set = [&](float factor) HWY_ATTR { return hn::Set(d, factor); };
    const auto bits = hn::BitCast(di, value);
    const auto scale = hn::And(hn::Sub(bits, hn::Set(di, T::least)), hn::Set(di, T::exponent));
    const Vec power = hn::Mul(hn::ConvertTo(d, scale), set(T::ulp));
    const Vec x = hn::Sub(hn::BitCast(d, hn::Sub(bits, scale)), set(1)), square = hn::Mul(x, x);
    const Vec odd = hn::MulAdd(hn::MulAdd(set(T::x9), square, set(T::x7)), square, set(T::x5));
    Vec even = hn::MulAdd(hn::MulAdd(set(T::x10), square, set(T::x8)), square, set(T::x6));
    even = hn::MulAdd(even, square, set(T::x4));
    const Vec terms =
        hn::MulAdd(hn::MulAdd(hn::MulAdd(odd, x, even), x, set(T::x3)), x, set(-0.5f));
    return hn::MulAdd(power, set(T::ln2), hn::MulAdd(terms, square, x));
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
