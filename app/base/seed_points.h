// Points that a segmentation starts from, as the command line names them.
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

/// Whether the text names a file, which holds the points instead.
bool namesPointsFile(const std::string& text);
/// The same of the text, or of the file that it names: such a text, as the Cardiac panel saves it;
/// the record that `systole segment --points` writes; or landmarks of any format, LPS mm: three in
/// this order, or named apex, mitral and rv. Throws UsageError, and FileError for a file without
/// them.
std::array<Vec3, 3> ventriclePoints(const std::string& textOrFile, const char* option);

/// Throws FileError where a record says that its points aren't in LPS mm, which one that says
/// nothing has.
void requirePointsInLpsMillimeters(const std::string& path, const Json& record);

} // namespace systole
