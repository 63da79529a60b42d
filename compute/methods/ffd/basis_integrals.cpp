#include "compute/methods/ffd/basis_integrals.h"

#include <cmath>

namespace systole {

namespace {

/// The integrals of all pairs over a tile's part from 0 to `end`, in units of the tile.
std::array<std::array<double, 4>, 4> tileIntegrals(int a, int b, double end) {
    // Four Gauss points integrate the products, polynomials of degree 6, exactly.
    constexpr double nodes[4] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                                 0.9305681557970263};
    constexpr double weights[4] = {0.17392742256872692, 0.32607257743127305, 0.32607257743127305,
                                   0.17392742256872692};
    std::array<std::array<double, 4>, 4> sums{};
    for (int l = 0; l < 4; ++l)
        for (int m = 0; m < 4; ++m)
            for (int n = 0; n < 4; ++n)
                sums[static_cast<std::size_t>(l)][static_cast<std::size_t>(m)] +=
                    end * weights[n] * cubicBasis(a, l, end * nodes[n]) *
                    cubicBasis(b, m, end * nodes[n]);
    return sums;
}

} // namespace

Band bandOf(int voxels, int tile, int a, int b) {
    const double tiles = voxels > 1 ? static_cast<double>(voxels - 1) / tile : 1;
    const int points = (voxels - 1) / tile + 4;
    std::vector<std::array<double, 7>> sums(static_cast<std::size_t>(points));
    const int lastTile = points - 4;
    const auto whole = tileIntegrals(a, b, 1), last = tileIntegrals(a, b, tiles - lastTile);
    for (int t = 0; t <= lastTile; ++t) {
        const auto& part = t < lastTile ? whole : last;
        for (std::size_t l = 0; l < 4; ++l)
            for (std::size_t m = 0; m < 4; ++m)
                sums[static_cast<std::size_t>(t) + l][3 + m - l] += part[l][m] / tiles;
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
                Band band = bandOf(grid.image[axis], grid.tile[axis], a, b);
                for (auto& row : band)
                    for (float& entry : row)
                        entry *= static_cast<float>(std::pow(spacing, -(a + b)));
                axes[axis].of[a][b] = std::move(band);
            }
    }
}

} // namespace systole
