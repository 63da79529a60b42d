// A color map as a texture for the shaders.
#pragma once

#include "render/colormaps.h"
#include "render/gl/gl_objects.h"

namespace systole {

/// Returns the color map as a texture of one row. Needs the context current.
GlTexture makeColorMapTexture(ColorMap map);

} // namespace systole
