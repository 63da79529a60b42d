// Order statistics by digits of the values' bits, from the first digit to the last: what the
// quantiles of the host and of the device share. No sorting, and only counts are summed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace systole::quantile {

/// Every how many voxels one is looked at: at most about a million in all, and an odd number, which
/// avoids aliasing with rows of even length.
constexpr std::size_t sampleStride(std::size_t voxels) {
    constexpr std::size_t enough = std::size_t{1} << 20;
    return (voxels / enough > 1 ? voxels / enough : 1) | 1;
}
constexpr std::size_t sampleCount(std::size_t voxels) {
    return (voxels + sampleStride(voxels) - 1) / sampleStride(voxels);
}

/// Nearest rank, from 0, of a part (0–1) of `count` values.
constexpr std::size_t rankOf(double part, std::size_t count) {
    return static_cast<std::size_t>(part * static_cast<double>(count - 1));
}

/// Numbers in the order of the values; both zeros are the same.
constexpr std::uint32_t keyOf(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value == 0 ? 0.0f : value);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}
constexpr float valueOf(std::uint32_t key) {
    return std::bit_cast<float>(key >> 31 ? key & 0x7fffffffu : ~key);
}

/// A key has three digits of 11, 11 and 10 bits, each less than `cells`.
inline constexpr int digits = 3;
inline constexpr unsigned cells = 2048;
constexpr int shiftOf(int digit) { return digit == 0 ? 21 : digit == 1 ? 10 : 0; }
constexpr unsigned digitOf(std::uint32_t key, int digit) {
    return key >> shiftOf(digit) & (digit == 2 ? 1023u : 2047u);
}
/// Whether the digits before `digit` are those of `found`.
constexpr bool beginsAs(std::uint32_t key, std::uint32_t found, int digit) {
    return digit == 0 || key >> shiftOf(digit - 1) == found >> shiftOf(digit - 1);
}

} // namespace systole::quantile
