#include "app/base/grid_text.h"

#include <fmt/format.h>

namespace systole {
namespace {

std::string textOf(const Geometry& grid, int digits, bool withDirections) {
    const Size3 size = grid.size();
    const Vec3 spacing = grid.spacing(), first = grid.origin();
    std::string text = fmt::format(
        "{}×{}×{} voxels of {:.{}g}×{:.{}g}×{:.{}g} mm, {}, from ({:.{}g}, {:.{}g}, {:.{}g}) on",
        size.x, size.y, size.z, spacing.x, digits, spacing.y, digits, spacing.z, digits,
        grid.orientationLetters(), first.x, digits, first.y, digits, first.z, digits);
    if (!withDirections)
        return text;
    text += ", axes along";
    for (std::size_t axis = 0; axis < 3; ++axis) {
        text += axis == 0 ? " (" : ", (";
        for (std::size_t row = 0; row < 3; ++row)
            text +=
                fmt::format("{}{:.{}g}", row == 0 ? "" : ", ", grid.direction()[row][axis], digits);
        text += ")";
    }
    return text;
}

} // namespace

std::pair<std::string, std::string> textsOfGrids(const Geometry& one, const Geometry& other) {
    constexpr int fewDigits = 4, allDigits = 9;
    for (const bool directions : {false, true})
        for (int digits = fewDigits; digits < allDigits; ++digits)
            if (std::pair texts{textOf(one, digits, directions), textOf(other, digits, directions)};
                texts.first != texts.second)
                return texts;
    return {textOf(one, allDigits, true), textOf(other, allDigits, true)};
}

} // namespace systole
