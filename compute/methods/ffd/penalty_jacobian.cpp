#include "compute/methods/ffd/penalty_jacobian.h"

#include "compute/methods/ffd/penalty_jacobian_math.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

/// Weights of the 64 control points of a tile in the derivatives along x, y, z at a Gauss point, by
/// voxels.
struct PointWeights {
    double along[3][64];
};

std::vector<PointWeights> gaussPoints(Size3 tile) {
    std::vector<PointWeights> all(8);
    for (int point = 0; point < 8; ++point)
        for (int cell = 0; cell < 64; ++cell) {
            const int index[3] = {cell % 4, cell / 4 % 4, cell / 16};
            for (int axis = 0; axis < 3; ++axis) {
                double weight = 1;
                for (int k = 0; k < 3; ++k)
                    weight *=
                        cubicBasis(k == axis ? 1 : 0, index[k], jacobian::node(point >> k & 1));
                all[static_cast<std::size_t>(point)].along[axis][cell] = weight / tile[axis];
            }
        }
    return all;
}

/// One tile: its control points, and the sums of their gradient.
struct Tile {
    double points[3][64];
    double gradient[3][64]{};

    double add(const PointWeights& w, double weight) {
        jacobian::Matrix<double> m{};
        for (int c = 0; c < 3; ++c)
            for (int axis = 0; axis < 3; ++axis) {
                double sum = c == axis ? 1 : 0;
                for (int cell = 0; cell < 64; ++cell)
                    sum += w.along[axis][cell] * points[c][cell];
                m.of[c][axis] = sum;
            }
        const double value = m.toStress(weight);
        for (int c = 0; c < 3; ++c)
            for (int cell = 0; cell < 64; ++cell)
                for (int axis = 0; axis < 3; ++axis)
                    gradient[c][cell] += m.of[c][axis] * w.along[axis][cell];
        return value;
    }
};

} // namespace

double addJacobianPenalty(ControlPointsView<const float> points, double weight,
                          ControlPointsView<float> gradient, const ExecContext& ctx) {
    const Size3 n = points.grid.points(), tiles{n.x - 3, n.y - 3, n.z - 3};
    const std::vector<PointWeights> gauss = gaussPoints(points.grid.tile);
    const double share = weight / (8 * static_cast<double>(tiles.voxels()));
    const auto row = [&](int ty, int tz) {
        double sum = 0;
        for (int tx = 0; tx < tiles.x; ++tx) {
            Tile tile;
            const auto at = [&](int cell) {
                return points.values.componentView(0).offset(tx + cell % 4, ty + cell / 4 % 4,
                                                             tz + cell / 16);
            };
            for (int cell = 0; cell < 64; ++cell)
                for (int c = 0; c < 3; ++c)
                    tile.points[c][cell] =
                        static_cast<double>(points.values.component(c)[at(cell)]);
            for (const PointWeights& point : gauss)
                sum += tile.add(point, share);
            if (gradient.empty())
                continue;
            for (int cell = 0; cell < 64; ++cell)
                for (int c = 0; c < 3; ++c)
                    gradient.values.component(c)[at(cell)] +=
                        static_cast<float>(tile.gradient[c][cell]);
        }
        return sum;
    };
    // Every fourth layer of tiles at once: they share no control point.
    double sum = 0;
    for (int phase = 0; phase < 4; ++phase)
        sum += parallelSum(ctx, (tiles.z - phase + 3) / 4, 1, [&](int begin, int end) {
            double part = 0;
            for (int layer = begin; layer < end; ++layer)
                for (int ty = 0; ty < tiles.y; ++ty)
                    part += row(ty, 4 * layer + phase);
            return part;
        });
    return share * sum;
}

} // namespace systole
