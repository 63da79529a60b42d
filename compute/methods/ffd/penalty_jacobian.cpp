#include "compute/methods/ffd/penalty_jacobian.h"

#include "compute/methods/ffd/penalty_jacobian_math.h"

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

/// One tile by the definition, the plain reference: its control points, and the sums of their
/// gradient.
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

/// The tiles of a grid, and what their sums are made of.
struct Tiles {
    ControlPointsView<const float> points;
    ControlPointsView<float> gradient; ///< may be empty
    double share;                      ///< the weight over the number of Gauss points

    std::size_t index(int i, int j, int k) const {
        return points.values.componentView(0).offset(i, j, k);
    }

    double addPlainly(const std::vector<PointWeights>& gauss, int tx, int ty, int tz) const {
        Tile tile;
        const auto at = [&](int cell) {
            return index(tx + cell % 4, ty + cell / 4 % 4, tz + cell / 16);
        };
        for (int cell = 0; cell < 64; ++cell)
            for (int c = 0; c < 3; ++c)
                tile.points[c][cell] = static_cast<double>(points.values.component(c)[at(cell)]);
        double sum = 0;
        for (const PointWeights& point : gauss)
            sum += tile.add(point, share);
        if (gradient.empty())
            return sum;
        for (int cell = 0; cell < 64; ++cell)
            for (int c = 0; c < 3; ++c)
                gradient.values.component(c)[at(cell)] +=
                    static_cast<float>(tile.gradient[c][cell]);
        return sum;
    }

    /// The same axis by axis.
    double add(int tx, int ty, int tz) const {
        const Size3 tile = points.grid.tile;
        const double perTile[3] = {1.0 / tile.x, 1.0 / tile.y, 1.0 / tile.z};
        jacobian::Matrix<double> m[jacobian::points]{};
        for (int c = 0; c < 3; ++c) {
            const float* const values = points.values.component(c);
            double along[jacobian::points][3];
            jacobian::derivativesOf<double>(
                [&](int l, int k, int n) {
                    return static_cast<double>(values[index(tx + l, ty + k, tz + n)]);
                },
                perTile, along);
            for (int p = 0; p < jacobian::points; ++p)
                for (int axis = 0; axis < 3; ++axis)
                    m[p].of[c][axis] = along[p][axis] + (c == axis ? 1 : 0);
        }
        double sum = 0;
        for (auto& point : m)
            sum += point.toStress(share);
        if (gradient.empty())
            return sum;
        for (int c = 0; c < 3; ++c)
            for (int column = 0; column < 16; ++column) {
                const int l = column % 4, k = column / 4;
                jacobian::gatherColumn<double>(
                    l, k, perTile, [&](int p, int axis) { return m[p].of[c][axis]; },
                    [&](int n, double more) {
                        gradient.values.component(c)[index(tx + l, ty + k, tz + n)] +=
                            static_cast<float>(more);
                    });
            }
        return sum;
    }
};

} // namespace

double addJacobianPenalty(ControlPointsView<const float> points, double weight,
                          ControlPointsView<float> gradient, const ExecContext& ctx) {
    const Size3 n = points.grid.points(), tiles{n.x - 3, n.y - 3, n.z - 3};
    const bool plainly = ctx.backend == Backend::CpuReference;
    const std::vector<PointWeights> gauss =
        plainly ? gaussPoints(points.grid.tile) : std::vector<PointWeights>();
    const double share = weight / (8 * static_cast<double>(tiles.voxels()));
    const Tiles all{points, gradient, share};
    const auto row = [&](int ty, int tz) {
        double sum = 0;
        for (int tx = 0; tx < tiles.x; ++tx)
            sum += plainly ? all.addPlainly(gauss, tx, ty, tz) : all.add(tx, ty, tz);
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
