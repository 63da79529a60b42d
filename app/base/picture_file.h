// Pictures as files.
#pragma once

#include "render/base/image.h"

#include <string>

namespace systole {

/// Writes a PNG under a temporary name and renames it. Throws FileError.
void writePng(const std::string& path, const RgbaImage& image);

} // namespace systole
