// A page of widgets as a picture, drawn off the screen.
#pragma once

#include "render/base/image.h"

#include <functional>

namespace systole {

/// `width` × `height` in logical pixels, of which each takes `pixelRatio` of the picture's. Needs a
/// current OpenGL context whose functions are loaded. Throws RenderError.
RgbaImage pagePicture(int width, int height, double pixelRatio, const std::function<void()>& draw);

} // namespace systole
