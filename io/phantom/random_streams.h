// The phantom's independent streams of random numbers. A stream that differs between frames is
// number + 16 · frame.
#pragma once

#include <cstdint>

namespace systole {

enum PhantomStream : std::uint64_t {
    scattererPosition = 1,
    scattererAmplitude,
    renewedAmplitude,
    speckleNoise,
    textureLattice,
    ctNoise,
    biasPhase,
    dropoutPlace,
    lungVessels,                 ///< first of six consecutive streams
    lungNoise = lungVessels + 6, ///< the last that differs between frames, which are 16 apart
    shadowPlace,
    familyDraw,
};

} // namespace systole
