// Options that the commands which draw have in common.
#pragma once

#include "render/scene.h"

#include <string>
#include <utility>

namespace systole {

/// "1280x800" as width and height in pixels. Throws UsageError.
std::pair<int, int> parsePictureSize(const std::string& text);

/// "single", "three" or "four". Throws UsageError.
Layout parseLayout(const std::string& text);

} // namespace systole
