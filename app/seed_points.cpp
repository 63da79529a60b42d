#include "app/seed_points.h"

#include "app/error.h"
#include "io/text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>

namespace systole {
namespace {

/// What stands between two separators and around them; nothing: there aren't two.
std::optional<std::array<std::string_view, 3>> threeParts(std::string_view text, char separator) {
    const std::size_t first = text.find(separator), last = text.rfind(separator);
    if (first == last || text.find(separator, first + 1) != last)
        return std::nullopt;
    return std::array{text.substr(0, first), text.substr(first + 1, last - first - 1),
                      text.substr(last + 1)};
}

} // namespace

Vec3 parsePoint(std::string_view text, const char* option) {
    const auto parts = threeParts(text, ',');
    Vec3 point;
    bool read = parts.has_value();
    for (int axis = 0; read && axis < 3; ++axis) {
        point[axis] = parseReal((*parts)[static_cast<std::size_t>(axis)]).value_or(NAN);
        read = std::isfinite(point[axis]);
    }
    if (!read)
        throw UsageError(fmt::format("{}: expected three numbers x,y,z, found '{}'", option, text));
    return point;
}

std::array<Vec3, 3> parseVentriclePoints(const std::string& text, const char* option) {
    const auto parts = threeParts(text, ';');
    if (!parts)
        throw UsageError(
            fmt::format("{}: expected APEX;MITRAL;RV, each x,y,z, found '{}'", option, text));
    const auto& [apex, mitral, rightVentricle] = *parts;
    return {parsePoint(apex, option), parsePoint(mitral, option),
            parsePoint(rightVentricle, option)};
}

} // namespace systole
