// One arrow, with the exact memory layout that the shaders read and CUDA writes.
#pragma once

namespace systole {

/// Position and direction in LPS mm.
struct Glyph {
    float x, y, z;
    float magnitude; ///< length of the whole vector: sets the color
    float dx, dy, dz;
    float length; ///< length of the drawn part: in a slice, the in-plane part; 0: no arrow
};
static_assert(sizeof(Glyph) == 32);

} // namespace systole
