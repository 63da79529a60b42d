#include "compute/methods/ffd/basis_integrals.h"

#include <cmath>

namespace systole {

Band bandOf(int points, int a, int b) {
    // Four Gauss points integrate the products, polynomials of degree 6, exactly.
    constexpr double nodes[4] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                                 0.9305681557970263};
    constexpr double weights[4] = {0.17392742256872692, 0.32607257743127305, 0.32607257743127305,
                                   0.17392742256872692};
    double tile[4][4]{};
    for (int l = 0; l < 4; ++l)
        for (int m = 0; m < 4; ++m)
            for (int n = 0; n < 4; ++n)
                tile[l][m] += weights[n] * cubicBasis(a, l, nodes[n]) * cubicBasis(b, m, nodes[n]);
    const int tiles = points - 3;
    std::vector<std::array<double, 7>> sums(static_cast<std::size_t>(points));
    for (int t = 0; t < tiles; ++t)
        for (int l = 0; l < 4; ++l)
            for (int m = 0; m < 4; ++m)
                sums[static_cast<std::size_t>(t + l)][static_cast<std::size_t>(3 + m - l)] +=
                    tile[l][m] / tiles;
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
                Band band = bandOf(points[axis], a, b);
                for (auto& row : band)
                    for (float& entry : row)
                        entry *= static_cast<float>(std::pow(spacing, -(a + b)));
                axes[axis].of[a][b] = std::move(band);
            }
    }
}

} // namespace systole
