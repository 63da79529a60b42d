#include "app/commands/seed_points.h"

#include "app/error.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

namespace systole {

Vec3 parsePoint(std::string_view text, const char* option) {
    Vec3 point;
    const char* next = text.data();
    const char* const end = text.data() + text.size();
    for (int axis = 0; axis < 3; ++axis) {
        const auto result = std::from_chars(next, end, point[axis]);
        const bool last = axis == 2;
        if (result.ec != std::errc{} || !std::isfinite(point[axis]) ||
            (last ? result.ptr != end : result.ptr == end || *result.ptr != ','))
            throw UsageError(fmt::format("{}: expected three numbers x,y,z, found '{}'", option,
                                         std::string(text)));
        next = result.ptr + (last ? 0 : 1);
    }
    return point;
}

std::array<Vec3, 3> parseVentriclePoints(const std::string& text, const char* option) {
    const std::size_t first = text.find(';'),
                      second = first == std::string::npos ? first : text.find(';', first + 1);
    if (second == std::string::npos)
        throw UsageError(
            fmt::format("{}: expected APEX;MITRAL;RV, each x,y,z, found '{}'", option, text));
    const std::string_view all = text;
    const auto point = [&](std::size_t begin, std::size_t end) {
        return parsePoint(all.substr(begin, end - begin), option);
    };
    return {point(0, first), point(first + 1, second), point(second + 1, text.size())};
}

} // namespace systole
