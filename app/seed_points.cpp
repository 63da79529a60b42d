#include "app/seed_points.h"

#include "app/error.h"
#include "io/text.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace systole {

Vec3 parsePoint(std::string_view text, const char* option) {
    const std::vector<std::string_view> parts = partsOf(text, ',');
    Vec3 point;
    bool read = parts.size() == 3;
    for (int axis = 0; read && axis < 3; ++axis) {
        point[axis] = parseReal(parts[static_cast<std::size_t>(axis)]).value_or(NAN);
        read = std::isfinite(point[axis]);
    }
    if (!read)
        throw UsageError(fmt::format("{}: expected three numbers x,y,z, found '{}'", option, text));
    return point;
}

std::array<Vec3, 3> parseVentriclePoints(const std::string& text, const char* option) {
    const std::vector<std::string_view> parts = partsOf(text, ';');
    if (parts.size() != 3)
        throw UsageError(
            fmt::format("{}: expected APEX;MITRAL;RV, each x,y,z, found '{}'", option, text));
    return {parsePoint(parts[0], option), parsePoint(parts[1], option),
            parsePoint(parts[2], option)};
}

} // namespace systole
