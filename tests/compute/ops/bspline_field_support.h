// Helpers for tests of the B-spline field: control points, and the field in double precision by the
// definition, written without the product's tables.
#pragma once

#include "compute/core/control_grid.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace systole::test {

/// B(t) of the cubic B-spline with knots at integers, centered at 0.
inline double cubicSpline(double t) {
    t = std::abs(t);
    return t < 1 ? 2.0 / 3 - t * t + t * t * t / 2 : t < 2 ? (2 - t) * (2 - t) * (2 - t) / 6 : 0;
}

struct TestControlPoints {
    explicit TestControlPoints(const ControlGrid& of)
        : grid(of), values(3 * of.points().voxels()) {}
    /// phi = formula(position of the control point) for each component.
    template <typename Formula>
    TestControlPoints(const ControlGrid& of, const Formula& formula) : TestControlPoints(of) {
        const ControlPointsView<float> to = view();
        for (int k = 0; k < grid.points().z; ++k)
            for (int j = 0; j < grid.points().y; ++j)
                for (int i = 0; i < grid.points().x; ++i) {
                    const Vec3 value = formula(grid.position(i, j, k));
                    for (int c = 0; c < 3; ++c)
                        to.values.componentView(c)(i, j, k) = static_cast<float>(value[c]);
                }
    }
    ControlPointsView<float> view() { return {{values.data(), grid.points()}, grid}; }
    ControlPointsView<const float> constView() const {
        return {{values.data(), grid.points()}, grid};
    }

    ControlGrid grid;
    std::vector<float> values;
};

/// Uniform between −amplitude and amplitude.
inline TestControlPoints randomControlPoints(const ControlGrid& grid, float amplitude,
                                             std::uint64_t seed) {
    TestControlPoints points(grid);
    for (std::size_t i = 0; i < points.values.size(); ++i)
        points.values[i] =
            amplitude * (2 * uniformFloat(static_cast<std::uint32_t>(randomBits(seed, 1, i))) - 1);
    return points;
}

/// weights[voxel][point] of one axis.
inline std::vector<std::vector<double>> axisWeights(const ControlGrid& grid, int axis) {
    std::vector<std::vector<double>> all;
    for (int v = 0; v < grid.image[axis]; ++v) {
        std::vector<double> row;
        for (int p = 0; p < grid.points()[axis]; ++p)
            row.push_back(cubicSpline((v - grid.position(p, p, p)[axis]) / grid.tile[axis]));
        all.push_back(std::move(row));
    }
    return all;
}

/// Σ over all control points of one axis at a time, in double precision: the same sum as the
/// definition's, since it is a product of three. `transposed`: from voxels to control points.
inline std::vector<double> splineInDouble(const ControlGrid& grid, const std::vector<float>& values,
                                          bool transposed) {
    const Size3 points = grid.points();
    std::array<int, 3> size = transposed ? std::array{grid.image.x, grid.image.y, grid.image.z}
                                         : std::array{points.x, points.y, points.z};
    std::vector<double> from(values.begin(), values.end());
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const auto weights = axisWeights(grid, axis);
        std::array<int, 3> next = size;
        next[a] = transposed ? points[axis] : grid.image[axis];
        std::vector<double> to;
        to.reserve(3 * static_cast<std::size_t>(next[0] * next[1] * next[2]));
        for (int c = 0; c < 3; ++c)
            for (int z = 0; z < next[2]; ++z)
                for (int y = 0; y < next[1]; ++y)
                    for (int x = 0; x < next[0]; ++x) {
                        std::array<int, 3> at{x, y, z};
                        const int out = at[a];
                        double sum = 0;
                        for (int in = 0; in < size[a]; ++in) {
                            const auto voxel = static_cast<std::size_t>(transposed ? in : out);
                            const auto point = static_cast<std::size_t>(transposed ? out : in);
                            at[a] = in;
                            sum +=
                                weights[voxel][point] *
                                from[static_cast<std::size_t>(
                                    at[0] + size[0] * (at[1] + size[1] * (at[2] + size[2] * c)))];
                        }
                        to.push_back(sum);
                    }
        from = std::move(to);
        size = next;
    }
    return from;
}

inline double largestDifference(const std::vector<float>& found,
                                const std::vector<double>& expected) {
    double largest = found.size() == expected.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < found.size() && i < expected.size(); ++i) {
        const double difference = std::abs(static_cast<double>(found[i]) - expected[i]);
        largest = difference <= largest ? largest : difference; // not a number counts
    }
    return largest;
}

/// Tiles 3 to 7, unequal ones, ones without a fast path, and images that no tile divides, shorter
/// than a tile and one voxel thick.
inline const ControlGrid splineGrids[] = {
    {{24, 18, 12}, {3, 3, 3}}, {{37, 19, 11}, {4, 4, 4}}, {{41, 23, 17}, {5, 5, 5}},
    {{67, 13, 20}, {6, 6, 6}}, {{53, 29, 16}, {7, 7, 7}}, {{45, 22, 13}, {3, 5, 4}},
    {{33, 17, 9}, {7, 3, 6}},  {{19, 7, 5}, {1, 2, 9}},   {{70, 12, 30}, {20, 8, 11}},
    {{5, 3, 2}, {7, 5, 5}},    {{1, 1, 1}, {5, 5, 5}},    {{130, 1, 3}, {5, 4, 3}},
    {{70, 7, 5}, {1, 2, 3}},   {{47, 4, 9}, {1, 3, 2}},   {{66, 5, 6}, {2, 4, 1}},
};

/// These, and the same with the image in their middle; some have tiles that no voxel reaches.
inline std::vector<ControlGrid> splineGridsOfAllMargins() {
    std::vector<ControlGrid> all(std::begin(splineGrids), std::end(splineGrids));
    for (const ControlGrid& grid : splineGrids)
        for (const Size3 multiple : {Size3{1, 1, 1}, Size3{2, 2, 2}})
            all.push_back(ControlGrid::centered(grid.image, grid.tile, multiple));
    return all;
}

/// A grid so large that threads march over several tiles, and sums over several chunks.
inline const ControlGrid largeSplineGrid{{150, 141, 130}, {3, 4, 3}};

inline std::string splineName(const ControlGrid& grid) {
    const auto text = [](Size3 s) {
        return std::to_string(s.x) + "x" + std::to_string(s.y) + "x" + std::to_string(s.z);
    };
    return "image " + text(grid.image) + " tile " + text(grid.tile) + " margin " +
           text(grid.margin);
}

} // namespace systole::test
