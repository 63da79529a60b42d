// One arrow, exactly as it lies in the buffer that the shaders read and CUDA writes.
#pragma once

namespace systole {

/// LPS mm.
struct Glyph {
    float x, y, z;
    float magnitude; ///< of the whole vector: gives the colour
    float dx, dy, dz;
    float length; ///< of the drawn part: in a slice, what lies in its plane; 0: no arrow
};
static_assert(sizeof(Glyph) == 32);

} // namespace systole
