#include "compute/methods/ffd/penalty_jacobian.h"

#include "compute/methods/ffd/penalty_jacobian_rows.h"

#include <algorithm>
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

/// The sum over all tiles by the definition, in double precision.
double addPlainly(ControlPointsView<const float> points, double share,
                  ControlPointsView<float> gradient, Size3 tiles, const ExecContext& ctx) {
    const std::vector<PointWeights> gauss = gaussPoints(points.grid.tile);
    const auto add = [&](int tx, int ty, int tz) {
        Tile tile;
        const auto at = [&](int cell) {
            return points.values.componentView(0).offset(tx + cell % 4, ty + cell / 4 % 4,
                                                         tz + cell / 16);
        };
        for (int cell = 0; cell < 64; ++cell)
            for (int c = 0; c < 3; ++c)
                tile.points[c][cell] = static_cast<double>(points.values.component(c)[at(cell)]);
        double sum = 0;
        for (const PointWeights& point : gauss)
            sum += tile.add(point, share);
        for (int cell = 0; cell < 64 && !gradient.empty(); ++cell)
            for (int c = 0; c < 3; ++c)
                gradient.values.component(c)[at(cell)] +=
                    static_cast<float>(tile.gradient[c][cell]);
        return sum;
    };
    // Every fourth layer of tiles at once: they share no control point.
    double sum = 0;
    for (int phase = 0; phase < 4; ++phase)
        sum += parallelSum(ctx, (tiles.z - phase + 3) / 4, 1, [&](int begin, int end) {
            double part = 0;
            for (int layer = begin; layer < end; ++layer)
                for (int ty = 0; ty < tiles.y; ++ty)
                    for (int tx = 0; tx < tiles.x; ++tx)
                        part += add(tx, ty, 4 * layer + phase);
            return part;
        });
    return sum;
}

/// Sums of the control points in the planes tz … tz + 3, as the layers of tiles are passed.
class OpenPlanes {
public:
    explicit OpenPlanes(Size3 n) : n_(n), sums_(4 * planeFloats()) {}

    void gather(const rows::JacobianLayer& layer, const ExecContext& ctx) {
        parallelFor(ctx, n_.y, 1, [&](int begin, int end) {
            for (int y = begin; y < end; ++y) {
                float* open[4][3];
                for (int plane = 0; plane < 4; ++plane)
                    for (int c = 0; c < 3; ++c)
                        open[plane][c] = row(plane, c, y);
                rows::gatherJacobian(layer, y, open);
            }
        });
    }
    /// Adds the first plane, now complete, to that of the gradient and goes on by one.
    void close(FieldView<float> gradient, int plane) {
        for (int c = 0; c < 3; ++c)
            for (int y = 0; y < n_.y; ++y)
                for (int x = 0; x < n_.x; ++x)
                    gradient.componentView(c)(x, y, plane) += row(0, c, y)[x];
        std::fill_n(row(0, 0, 0), planeFloats(), 0.0f);
        first_ = (first_ + 1) % 4;
    }

private:
    std::size_t planeFloats() const { return 3 * Size3{n_.x, n_.y, 1}.voxels(); }
    float* row(int plane, int c, int y) {
        const auto number = static_cast<std::size_t>((first_ + plane) % 4);
        return sums_.data() + number * planeFloats() +
               VolumeView<const float>(nullptr, n_).offset(0, y, 0) +
               static_cast<std::size_t>(c) * (planeFloats() / 3);
    }

    Size3 n_;
    std::vector<float> sums_;
    int first_ = 0;
};

/// The penalty's sum, axis by axis in single precision: the same bits as on CUDA.
double addByAxes(ControlPointsView<const float> points, float share,
                 ControlPointsView<float> gradient, Size3 tiles, const ExecContext& ctx) {
    const Size3 n = points.grid.points(), tile = points.grid.tile;
    std::vector<float> stresses(
        gradient.empty() ? 0 : 9 * jacobian::points * Size3{tiles.x, tiles.y, 1}.voxels());
    const rows::JacobianLayer layer{n,
                                    tiles,
                                    {1.0f / static_cast<float>(tile.x),
                                     1.0f / static_cast<float>(tile.y),
                                     1.0f / static_cast<float>(tile.z)},
                                    share,
                                    gradient.empty() ? nullptr : stresses.data()};
    OpenPlanes open(n);
    double sum = 0;
    for (int tz = 0; tz < tiles.z; ++tz) {
        sum += parallelSum(ctx, tiles.y, 1, [&](int begin, int end) {
            double part = 0;
            for (int ty = begin; ty < end; ++ty)
                part += rows::jacobianStresses(layer, points.values, ty, tz);
            return part;
        });
        if (gradient.empty())
            continue;
        open.gather(layer, ctx);
        open.close(gradient.values, tz);
    }
    for (int plane = tiles.z; plane < n.z && !gradient.empty(); ++plane)
        open.close(gradient.values, plane);
    return sum;
}

} // namespace

double addJacobianPenalty(ControlPointsView<const float> points, double weight,
                          ControlPointsView<float> gradient, const ExecContext& ctx) {
    const Size3 n = points.grid.points(), tiles{n.x - 3, n.y - 3, n.z - 3};
    const double share = weight / (jacobian::points * static_cast<double>(tiles.voxels()));
    if (ctx.backend == Backend::CpuReference)
        return share * addPlainly(points, share, gradient, tiles, ctx);
    const auto single = static_cast<float>(share);
    return static_cast<double>(single) * addByAxes(points, single, gradient, tiles, ctx);
}

} // namespace systole
