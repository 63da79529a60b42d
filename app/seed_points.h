// Points that a segmentation starts from, as the command line names them.
#pragma once

#include "compute/core/geometry.h"

#include <array>
#include <string>
#include <string_view>

namespace systole {

/// Parses "x,y,z". Throws UsageError that names the option.
Vec3 parsePoint(std::string_view text, const char* option);

/// Parses "APEX;MITRAL;RV", each x,y,z.
std::array<Vec3, 3> parseVentriclePoints(const std::string& text, const char* option);

} // namespace systole
