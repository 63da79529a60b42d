// The caption below a saved picture.
#pragma once

#include "render/base/image.h"

#include <string>
#include <vector>

namespace systole {

/// The picture with a strip of text added below it; its own pixels don't change. The parts (UTF-8)
/// are set in as few lines as the width allows, each part on one line if it fits.
/// `pixelRatio`: pixels of the picture per logical pixel.
RgbaImage withCaption(const RgbaImage& picture, const std::vector<std::string>& parts,
                      double pixelRatio);

} // namespace systole
