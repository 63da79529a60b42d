// Counter-based random numbers: the value depends only on the key, so that any order of evaluation
// and any number of threads give the same picture.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace systole {

/// The splitmix64 finalizer; equal keys give equal bits.
inline std::uint64_t randomBits(std::uint64_t key) {
    key += 0x9e3779b97f4a7c15ULL;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9ULL;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebULL;
    return key ^ (key >> 31);
}

inline std::uint64_t randomBits(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
    return randomBits(randomBits(randomBits(seed) ^ stream) ^ counter);
}

/// Uniform number in [0, 1).
inline float uniformFloat(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

/// Two independent standard normal numbers (Box and Muller) from 64 bits.
inline std::pair<float, float> normalPair(std::uint64_t bits) {
    const float a = static_cast<float>((bits >> 40) + 1) * 0x1p-24f; // (0, 1]
    const float b = uniformFloat(static_cast<std::uint32_t>(bits));
    const float radius = std::sqrt(-2 * std::log(a));
    const float angle = 2 * std::numbers::pi_v<float> * b;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

} // namespace systole
