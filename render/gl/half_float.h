// Single floats as the half floats of textures.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace systole {

/// The nearest half float, of two the even one, as GPUs round; beyond the largest infinity, NaN
/// stays NaN. Without branches: loops over it are vectorized.
inline std::uint16_t halfOf(float value) {
    constexpr std::int32_t infinity = 0x7f800000, exponent = 1 << 23;
    constexpr std::int32_t firstTooLarge = (127 + 16) * exponent,
                           firstNormal = (127 - 14) * exponent;
    const auto bits = std::bit_cast<std::int32_t>(value);
    const std::int32_t magnitude = bits & 0x7fffffff;
    // A subnormal half is the last places of a sum with a number whose last place it has.
    constexpr std::int32_t places = (127 - 15 + 23 - 10 + 1) * exponent;
    const std::int32_t subnormal = std::bit_cast<std::int32_t>(std::bit_cast<float>(magnitude) +
                                                               std::bit_cast<float>(places)) -
                                   places;
    constexpr std::int32_t belowHalf = (1 << 12) - 1;
    const std::int32_t normal =
        (magnitude + (belowHalf - (127 - 15) * exponent) + ((magnitude >> 13) & 1)) >> 13;
    const std::int32_t special = 0x7c00 | (0x200 & -std::int32_t{magnitude > infinity});
    const std::int32_t isSmall = -std::int32_t{magnitude < firstNormal},
                       isLarge = -std::int32_t{magnitude >= firstTooLarge};
    const std::int32_t finite = (subnormal & isSmall) | (normal & ~isSmall);
    const std::int32_t half = (special & isLarge) | (finite & ~isLarge);
    return static_cast<std::uint16_t>(half | ((bits >> 16) & 0x8000));
}

inline void toHalf(const float* from, std::size_t count, std::uint16_t* to) {
    for (std::size_t i = 0; i < count; ++i)
        to[i] = halfOf(from[i]);
}

} // namespace systole
