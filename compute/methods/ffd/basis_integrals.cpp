#include "compute/methods/ffd/basis_integrals.h"

#include <algorithm>
#include <cmath>

namespace systole {

namespace {

/// The integrals of all pairs over a tile's part from `begin` to `end`, in units of the tile.
std::array<std::array<double, 4>, 4> tileIntegrals(int a, int b, double begin, double end) {
    // Four Gauss points integrate the products, polynomials of degree 6, exactly.
    constexpr double nodes[4] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                                 0.9305681557970263};
    constexpr double weights[4] = {0.17392742256872692, 0.32607257743127305, 0.32607257743127305,
                                   0.17392742256872692};
    std::array<std::array<double, 4>, 4> sums{};
    for (int l = 0; l < 4; ++l)
        for (int m = 0; m < 4; ++m)
            for (int n = 0; n < 4; ++n) {
                const double length = end - begin, at = begin + length * nodes[n];
                sums[static_cast<std::size_t>(l)][static_cast<std::size_t>(m)] +=
                    length * weights[n] * cubicBasis(a, l, at) * cubicBasis(b, m, at);
            }
    return sums;
}

} // namespace

Band bandOf(const ControlAxis& axis, int a, int b) {
    const bool single = axis.voxels == 1;
    const double first = single ? 0 : 0.5 * axis.margin / axis.tile, // voxel, in tiles
        length = single ? 1 : static_cast<double>(axis.voxels - 1) / axis.tile;
    std::vector<std::array<double, 7>> sums(static_cast<std::size_t>(axis.points()));
    const auto whole = tileIntegrals(a, b, 0, 1);
    for (int t = 0; t < axis.tiles(); ++t) {
        const double begin = std::clamp(first - t, 0.0, 1.0),
                     end = std::clamp(first + length - t, 0.0, 1.0);
        const auto part = begin == 0 && end == 1 ? whole : tileIntegrals(a, b, begin, end);
        for (std::size_t l = 0; l < 4; ++l)
            for (std::size_t m = 0; m < 4; ++m)
                sums[static_cast<std::size_t>(t) + l][3 + m - l] += part[l][m] / length;
    }
    Band band(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
        for (std::size_t k = 0; k < 7; ++k)
            band[i][k] = static_cast<float>(sums[i][k]);
    return band;
}

GridIntegrals::GridIntegrals(const ControlGrid& grid, Vec3 lengths)
    : points(grid.points()), unit(lengths) {
    for (int axis = 0; axis < 3; ++axis) {
        const double spacing = grid.tile[axis] * lengths[axis];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                Band band = bandOf(grid.axis(axis), a, b);
                for (auto& row : band)
                    for (float& entry : row)
                        entry *= static_cast<float>(std::pow(spacing, -(a + b)));
                axes[axis].of[a][b] = std::move(band);
            }
    }
}

} // namespace systole
