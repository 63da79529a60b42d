// Normally distributed values, the same for the same seed.
#pragma once

#include "compute/core/random.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::test {

inline std::vector<float> normalNoise(std::size_t count, std::uint64_t seed, float amplitude = 1) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = amplitude * normalPair(randomBits(seed, 3, i)).first;
    return values;
}

} // namespace systole::test
