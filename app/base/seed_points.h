// Start points of a segmentation, from the command line or a file.
#pragma once

#include "app/base/json_file.h"
#include "compute/core/geometry.h"

#include <array>
#include <string>
#include <string_view>

namespace systole {

/// Parses "x,y,z". Throws UsageError that names the option.
Vec3 parsePoint(std::string_view text, const char* option);

/// Parses "APEX;MITRAL;RV", each x,y,z.
std::array<Vec3, 3> parseVentriclePoints(const std::string& text, const char* option);

/// True if the text names a file with the points instead of being the points.
bool namesPointsFile(const std::string& text);
/// Apex, mitral ring and right ventricle, LPS mm, from a text for parseVentriclePoints() or from
/// the file that it names: such a text, as the Cardiac panel saves it; the record that `systole
/// segment --points` writes; or landmarks of any format, three in this order or named apex, mitral
/// and rv. Throws UsageError, and FileError for a file without them.
std::array<Vec3, 3> ventriclePoints(const std::string& textOrFile, const char* option);

/// Throws FileError if a record states that its points aren't in LPS mm. One that states nothing
/// has them in LPS mm.
void requirePointsInLpsMillimeters(const std::string& path, const Json& record);

} // namespace systole
