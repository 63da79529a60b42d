// Loads and stores of the first lanes of a vector, and the loop over a row, shared by the row
// kernel files. Compiled once per instruction set, inside their target namespaces: hence the guard
// that toggles.
#if defined(SYSTOLE_ROW_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLE_ROW_VECTORS_INL_H
#undef SYSTOLE_ROW_VECTORS_INL_H
#else
#define SYSTOLE_ROW_VECTORS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace systole::rows::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;
constexpr std::size_t maximumLanes = HWY_MAX_BYTES / sizeof(float);

HWY_INLINE int lanes() { return static_cast<int>(hn::Lanes(Tag())); }

// Where the instruction set has masks, lanes beyond the part are never touched. Elsewhere Highway
// loads whole vectors, which may lie across the end of the memory: part by part there.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define SYSTOLE_MASKED_PARTS 1
#else
#define SYSTOLE_MASKED_PARTS 0
#endif

/// The first `part` values of p, zero beyond; a full vector if `part` reaches its width.
HWY_INLINE Vec loadPart(const float* p, int part) {
    const Tag d;
    if (part >= lanes())
        return hn::LoadU(d, p);
#if SYSTOLE_MASKED_PARTS
    return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(std::max(part, 0))), d, p);
#else
    HWY_ALIGN float copy[maximumLanes] = {};
    for (int k = 0; k < part; ++k)
        copy[k] = p[k];
    return hn::Load(d, copy);
#endif
}

HWY_INLINE void storePart(Vec value, float* p, int part) {
    const Tag d;
    if (part >= lanes()) {
        hn::StoreU(value, d, p);
        return;
    }
#if SYSTOLE_MASKED_PARTS
    hn::BlendedStore(value, hn::FirstN(d, static_cast<std::size_t>(std::max(part, 0))), d, p);
#else
    HWY_ALIGN float copy[maximumLanes];
    hn::Store(value, d, copy);
    for (int k = 0; k < part; ++k)
        p[k] = copy[k];
#endif
}
#undef SYSTOLE_MASKED_PARTS

/// Processes rows shorter than a vector in a padded copy.
template <class Body>
HWY_INLINE void forPaddedRow(int count, const Body& body) {
    int i = 0;
    for (; i + lanes() <= count; i += lanes())
        body(i, lanes());
    if (i < count)
        body(i, count - i);
}

/// Calls body(i) for whole vectors; the last one is moved back to end at `count`, so that no lane
/// exceeds it. Rows shorter than a vector go to tail(i) value by value.
template <class Body, class Tail>
HWY_INLINE void forRow(int count, const Body& body, const Tail& tail) {
    if (count < lanes()) {
        for (int i = 0; i < count; ++i)
            tail(i);
        return;
    }
    int i = 0;
    for (; i + lanes() <= count; i += lanes())
        body(i);
    if (i < count)
        body(count - lanes());
}

} // namespace systole::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
