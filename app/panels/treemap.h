// Areas that tell sizes: a rectangle cut into one tile for each size, as near to squares as can be
// (squarified treemap: Bruls, Huizing, van Wijk, Data Visualization 2000).
#pragma once

#include <vector>

namespace systole {

struct Tile {
    double x = 0, y = 0, width = 0, height = 0;
};

/// A tile for each size, in their order, from (0, 0) on; their areas are in the ratio of the sizes
/// and add up to the whole. Sizes are positive, best in descending order.
std::vector<Tile> treemap(const std::vector<double>& sizes, double width, double height);

} // namespace systole
