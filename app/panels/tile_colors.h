// Colours of the tiles of a treemap: what lies side by side differs.
#pragma once

#include "app/panels/treemap.h"

#include <cstddef>
#include <vector>

namespace systole {

/// For each tile the index of its colour, of so many: in turn, but another than that of the tile
/// before it and of those that it touches, while there is one.
std::vector<std::size_t> tileColors(const std::vector<Tile>& tiles, std::size_t colors);

} // namespace systole
