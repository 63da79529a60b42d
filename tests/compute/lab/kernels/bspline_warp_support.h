// Helpers for tests of warps by a B-spline: a moving image whose trilinear interpolation is known
// everywhere, a product of lines, and the expected values in double precision.
#pragma once

#include "compute/lab/kernels/bspline_warp.h"
#include "tests/compute/ops/bspline_field_support.h"

namespace systole::test {

struct WarpCase {
    explicit WarpCase(const ControlGrid& grid)
        : points(randomControlPoints(grid, 1.5f, 11)), start(grid.image) {
        for (std::size_t i = 0; i < start.values.size(); ++i)
            start.values[i] = 0.3f * std::sin(0.01f * static_cast<float>(i % 997));
        map.matrix[0][0] = 0.9f;
        map.matrix[0][1] = 0.1f;
        map.matrix[1][1] = 1.1f;
        map.matrix[1][2] = -0.2f;
        map.matrix[2][2] = 0.7f;
        map.offset[0] = 3;
        map.offset[1] = 4.5f;
        map.offset[2] = 3.25f;
    }
    static double lineX(double x) { return 1 + 0.05 * x; }
    static double lineY(double y) { return 2 - 0.025 * y; }
    static double lineZ(double z) { return 3 + 0.1 * z; }

    lab::BsplineWarp input(bool withStart) {
        return {points.constView(), withStart ? start.view() : FieldView<float>(), moving.view(),
                map};
    }

    TestControlPoints points;
    TestField start;
    TestVolume moving{{50, 45, 40},
                      [](double x, double y, double z) { return lineX(x) * lineY(y) * lineZ(z); }};
    IndexMap map;
};

/// Value and gradient at every voxel; NaN where the position lies within a voxel of the moving
/// image's border or outside.
inline std::vector<std::array<double, 4>> expectedWarp(WarpCase& c, bool withStart) {
    const ControlGrid& grid = c.points.grid;
    const std::vector<double> spline = splineInDouble(grid, c.points.values, false);
    const std::size_t n = grid.image.voxels();
    std::vector<std::array<double, 4>> all;
    std::size_t i = 0;
    for (int z = 0; z < grid.image.z; ++z)
        for (int y = 0; y < grid.image.y; ++y)
            for (int x = 0; x < grid.image.x; ++x, ++i) {
                const int at[3] = {x, y, z};
                double p[3] = {0, 0, 0};
                bool within = true;
                for (int r = 0; r < 3; ++r) {
                    p[r] = static_cast<double>(c.map.offset[r]);
                    for (std::size_t a = 0; a < 3; ++a)
                        p[r] += static_cast<double>(c.map.matrix[r][a]) *
                                (at[a] + spline[a * n + i] +
                                 (withStart ? static_cast<double>(c.start.values[a * n + i]) : 0));
                    within = within && p[r] > 1 && p[r] < c.moving.size[r] - 2;
                }
                const double fx = WarpCase::lineX(p[0]), fy = WarpCase::lineY(p[1]),
                             fz = WarpCase::lineZ(p[2]);
                const double g[3] = {0.05 * fy * fz, -0.025 * fx * fz, 0.1 * fx * fy};
                std::array<double, 4> row{fx * fy * fz, 0, 0, 0};
                for (std::size_t a = 0; a < 3; ++a)
                    for (std::size_t r = 0; r < 3; ++r)
                        row[a + 1] += static_cast<double>(c.map.matrix[r][a]) * g[r];
                all.push_back(within ? row : std::array<double, 4>{NAN, NAN, NAN, NAN});
            }
    return all;
}

/// Compares results with expectedWarp(); `results`: values, weights, gradient.
inline void expectWarp(WarpCase& c, bool withStart, const std::vector<float>& results) {
    const std::vector<std::array<double, 4>> expected = expectedWarp(c, withStart);
    const std::size_t n = expected.size();
    std::size_t compared = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (std::isnan(expected[i][0]))
            continue;
        ++compared;
        ASSERT_EQ(results[n + i], 1.0f) << i;
        ASSERT_NEAR(static_cast<double>(results[i]), expected[i][0], 3e-5) << i;
        for (std::size_t a = 0; a < 3; ++a)
            ASSERT_NEAR(static_cast<double>(results[(2 + a) * n + i]), expected[i][a + 1], 3e-5)
                << i;
    }
    EXPECT_GT(compared, n / 2);
}

inline lab::BsplineWarped warpedInto(std::vector<float>& results, Size3 size) {
    const std::size_t n = size.voxels();
    return {{results.data(), size}, {results.data() + n, size}, {results.data() + 2 * n, size}};
}

inline const ControlGrid warpGrid{{40, 31, 28}, {5, 4, 6}};

} // namespace systole::test
