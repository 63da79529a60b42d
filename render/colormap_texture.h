// A color map as the shaders read it.
#pragma once

#include "render/colormaps.h"
#include "render/gl/gl_objects.h"

namespace systole {

/// The color map as a texture of one row. Context current.
GlTexture makeColorMapTexture(ColorMap map);

} // namespace systole
