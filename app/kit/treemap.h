// Squarified treemap: a rectangle divided into one nearly square tile per size (Bruls, Huizing, van
// Wijk, Data Visualization 2000).
#pragma once

#include <vector>

namespace systole {

struct Tile {
    double x = 0, y = 0, width = 0, height = 0;
};

/// One tile per size, in order, from (0, 0); areas are proportional to the sizes and fill the
/// rectangle. Sizes are positive, preferably in descending order.
std::vector<Tile> treemap(const std::vector<double>& sizes, double width, double height);

} // namespace systole
