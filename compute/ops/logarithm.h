// The natural logarithm in single precision, by our own operations: the same bits in plain loops,
// in SIMD (row_logarithm-inl.h) and on a device.
#pragma once

#include "compute/ops/fused_math.h"

#include <bit>
#include <cstdint>

namespace systole {

/// log(1 + x) for −1/3 ≤ x ≤ 1/3 as x − x²/2 + …, by the factors of the powers.
struct LogarithmTerms {
    static constexpr float x3 = 0.333331972f, x4 = -0.249996200f, x5 = 0.200120345f,
                           x6 = -0.166846126f, x7 = 0.139814854f, x8 = -0.121483512f,
                           x9 = 0.140869141f, x10 = -0.130310059f;
    static constexpr float ln2 = 0.693147182f, ulp = 0x1p-23f;
    /// Bits of 2/3: mantissas from there to 4/3 are those near 1.
    static constexpr std::int32_t least = 0x3f2aaaab, exponent = -(1 << 23);
};

/// The natural logarithm of a normal number above 0, to a unit in the last place.
constexpr float logarithmOf(float value) {
    using T = LogarithmTerms;
    const auto bits = std::bit_cast<std::int32_t>(value), scale = (bits - T::least) & T::exponent;
    const float power = static_cast<float>(scale) * T::ulp; // exact
    const float x = std::bit_cast<float>(bits - scale) - 1, square = x * x;
    const float odd = fused(fused(T::x9, square, T::x7), square, T::x5);
    const float even = fused(fused(fused(T::x10, square, T::x8), square, T::x6), square, T::x4);
    const float terms = fused(fused(fused(odd, x, even), x, T::x3), x, -0.5f);
    return fused(power, T::ln2, fused(terms, square, x));
}

} // namespace systole
