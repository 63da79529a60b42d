#include "app/kit/treemap.h"

#include <algorithm>
#include <numeric>

namespace systole {
namespace {

/// Aspect ratio of the worst tile if these areas formed a row along `side`.
double worstRatio(const std::vector<double>& areas, std::size_t first, std::size_t end,
                  double side) {
    const double sum = std::accumulate(areas.begin() + static_cast<std::ptrdiff_t>(first),
                                       areas.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
    const double depth = sum / side;
    double worst = 1;
    for (std::size_t i = first; i < end; ++i) {
        const double length = areas[i] / depth;
        worst = std::max({worst, length / depth, depth / length});
    }
    return worst;
}

} // namespace

std::vector<Tile> treemap(const std::vector<double>& sizes, double width, double height) {
    const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    std::vector<double> areas;
    areas.reserve(sizes.size());
    for (const double size : sizes)
        areas.push_back(size / total * width * height);
    std::vector<Tile> tiles(sizes.size());
    Tile free{0, 0, width, height};
    for (std::size_t first = 0; first < areas.size();) {
        const double side = std::max(1e-9, std::min(free.width, free.height)); // rounding
        std::size_t end = first + 1;
        double ratio = worstRatio(areas, first, end, side);
        while (end < areas.size()) {
            const double longer = worstRatio(areas, first, end + 1, side);
            if (longer > ratio)
                break;
            ratio = longer;
            ++end;
        }
        // The row is laid along the shorter side of the free rectangle.
        double sum = 0;
        for (std::size_t i = first; i < end; ++i)
            sum += areas[i];
        const double depth = sum / side;
        const bool upright = free.width >= free.height;
        double at = 0;
        for (std::size_t i = first; i < end; ++i) {
            const double length = areas[i] / depth;
            tiles[i] = upright ? Tile{free.x, free.y + at, depth, length}
                               : Tile{free.x + at, free.y, length, depth};
            at += length;
        }
        if (upright) {
            free.x += depth;
            free.width -= depth;
        } else {
            free.y += depth;
            free.height -= depth;
        }
        first = end;
    }
    return tiles;
}

} // namespace systole
