// Integrals of products of cubic B-splines and their derivatives over the voxels of a control grid,
// from the first one's center to the last one's: what quadratic penalties are made of. What lies
// beside the image in the first and last tiles doesn't count.
#pragma once

#include "compute/core/control_grid.h"

#include <array>
#include <vector>

namespace systole {

/// Value of the derivative of order 0, 1 or 2 of the l-th of the four cubic B-splines of a tile, at
/// u in 0 … 1, per spacing^order.
constexpr double cubicBasis(int order, int l, double u) {
    const double v = 1 - u;
    if (order == 0)
        return l == 0   ? v * v * v / 6
               : l == 1 ? (3 * u * u * u - 6 * u * u + 4) / 6
               : l == 2 ? (3 * v * v * v - 6 * v * v + 4) / 6
                        : u * u * u / 6;
    if (order == 1)
        return l == 0   ? -v * v / 2
               : l == 1 ? (3 * u * u - 4 * u) / 2
               : l == 2 ? -(3 * v * v - 4 * v) / 2
                        : u * u / 2;
    return l == 0 ? v : l == 1 ? 3 * u - 2 : l == 2 ? 3 * v - 2 : u;
}

/// A band of seven diagonals per row: entry [i][3 + j − i] = mean over the axis of
/// B_i^(a) B_j^(b), per spacing^(a + b).
using Band = std::vector<std::array<float, 7>>;
/// The mean of a single voxel is over one tile.
Band bandOf(const ControlAxis& axis, int a, int b);

/// The bands of an axis for orders (a, b), in one unit of length for all axes.
struct AxisBands {
    Band of[3][3];
};

struct GridIntegrals {
    GridIntegrals(const ControlGrid& grid, Vec3 unit);

    Size3 points;
    Vec3 unit;
    AxisBands axes[3];
};

} // namespace systole
