#include "app/panels/tile_colors.h"

namespace systole {
namespace {

/// Along an edge or at a corner; rounding apart.
bool touch(const Tile& a, const Tile& b) {
    constexpr double rounding = 1e-6;
    return a.x <= b.x + b.width + rounding && b.x <= a.x + a.width + rounding &&
           a.y <= b.y + b.height + rounding && b.y <= a.y + a.height + rounding;
}

} // namespace

std::vector<std::size_t> tileColors(const std::vector<Tile>& tiles, std::size_t colors) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        std::vector<bool> taken(colors);
        for (std::size_t before = 0; before < i; ++before)
            if (before + 1 == i || touch(tiles[before], tiles[i]))
                taken[chosen[before]] = true;
        std::size_t color = i % colors;
        for (std::size_t tried = 0; tried < colors && taken[color]; ++tried)
            color = (color + 1) % colors;
        chosen.push_back(color);
    }
    return chosen;
}

} // namespace systole
