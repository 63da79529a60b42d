// Grids of voxels in words, for messages about two that differ.
#pragma once

#include "compute/core/geometry.h"

#include <string>
#include <utility>

namespace systole {

/// "20×20×10 voxels of 1.5×1.5×2 mm, LPS, from (0, 0, 0) on", of each; with as many digits, and the
/// directions of the axes, as it takes to tell one from the other.
std::pair<std::string, std::string> textsOfGrids(const Geometry& one, const Geometry& other);

} // namespace systole
