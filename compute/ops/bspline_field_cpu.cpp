// The separable variant: sums over z give a plane of control points for each plane of voxels, sums
// over y a row for each of its rows, sums over x the voxels: 4 + 4/δy + 4/(δy δz) products per
// component.
#include "compute/core/enum_text.h"
#include "compute/ops/bspline_cpu_variants.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/bspline_field_check.h"
#include "compute/ops/bspline_field_math.h"
#include "compute/ops/bspline_rows.h"

namespace systole {
namespace {

using bspline::AxisTable;

FieldView<float> planeOf(FieldView<float> field, int z) {
    const std::size_t first = field.componentView(0).offset(0, 0, z);
    return {field.u + first, field.v + first, field.w + first, {field.size.x, field.size.y, 1}};
}

/// The four rows of `stride` values, from `first` on, with the weights of a voxel of the axis.
void combineFour(const AxisTable& axis, int voxel, const float* first, std::size_t stride,
                 int count, float* out) {
    const float* const rows[4] = {first, first + stride, first + 2 * stride, first + 3 * stride};
    bspline::combine(rows, axis.weights(voxel), 4, count, out);
}

/// The voxels of an axis that a control point reaches, and their weights.
struct Reach {
    int begin, end;
    std::vector<float> weights;

    Reach(const AxisTable& table, int point)
        : begin(table.axis.begin(point - 3)), end(table.axis.begin(point + 1)) {
        for (int voxel = begin; voxel < end; ++voxel)
            weights.push_back(table.weight(voxel, point));
    }
    /// The rows at `first + voxel · stride`, weighted and summed.
    void sum(const float* first, std::size_t stride, int count, float* out) const {
        if (begin == end) { // as a point of a tile in the margin
            std::fill_n(out, count, 0.0f);
            return;
        }
        std::vector<const float*> rows;
        for (int voxel = begin; voxel < end; ++voxel)
            rows.push_back(first + static_cast<std::size_t>(voxel) * stride);
        bspline::combine(rows.data(), weights.data(), end - begin, count, out);
    }
};

std::vector<Reach> reachesOf(const AxisTable& table) {
    std::vector<Reach> all;
    for (int point = 0; point < table.axis.points(); ++point)
        all.emplace_back(table, point);
    return all;
}

void sumsByPlainLoop(FieldView<const float> perVoxel, ControlPointsView<float> sums,
                     const bspline::PlaneTables& tables, int k) {
    const Size3 count = sums.values.size;
    const Reach z(tables.z, k);
    for (int j = 0; j < count.y; ++j) {
        const Reach y(tables.y, j);
        for (int i = 0; i < count.x; ++i) {
            const Reach x(tables.x, i);
            for (int c = 0; c < 3; ++c) {
                double sum = 0;
                for (int pz = z.begin; pz < z.end; ++pz)
                    for (int py = y.begin; py < y.end; ++py)
                        for (int px = x.begin; px < x.end; ++px)
                            sum += static_cast<double>(tables.x.weight(px, i)) *
                                   static_cast<double>(tables.y.weight(py, j)) *
                                   static_cast<double>(tables.z.weight(pz, k)) *
                                   static_cast<double>(perVoxel.componentView(c)(px, py, pz));
                sums.values.componentView(c)(i, j, k) = static_cast<float>(sum);
            }
        }
    }
}

} // namespace

void bspline::planeByPlainLoop(ControlPointsView<const float> points, int z, FieldView<float> out) {
    const ControlAxis alongX = points.grid.axis(0), alongY = points.grid.axis(1),
                      alongZ = points.grid.axis(2);
    const VolumeView<const float> grid = points.values.componentView(0);
    const Weights<float> wz = weightsOfVoxel(alongZ.placeInTile(z), alongZ);
    for (int y = 0; y < out.size.y; ++y) {
        const Weights<float> wy = weightsOfVoxel(alongY.placeInTile(y), alongY);
        for (int x = 0; x < out.size.x; ++x) {
            const Weights<float> wx = weightsOfVoxel(alongX.placeInTile(x), alongX);
            const std::size_t lowest =
                grid.offset(alongX.tileOf(x), alongY.tileOf(y), alongZ.tileOf(z));
            for (int c = 0; c < 3; ++c)
                out.componentView(c)(x, y, 0) =
                    sumAt(points.values.component(c), lowest, grid.offset(0, 1, 0),
                          grid.offset(0, 0, 1), wx, wy, wz);
        }
    }
}

void bspline::planeOfField(ControlPointsView<const float> points, const PlaneTables& tables, int z,
                           FieldView<float> out) {
    const Size3 count = points.values.size;
    const auto row = static_cast<std::size_t>(count.x);
    const std::size_t layer = row * static_cast<std::size_t>(count.y);
    const std::size_t padded = row + bspline::rowPadding;
    std::vector<float> scratch(3 * (layer + padded));
    for (int c = 0; c < 3; ++c) {
        const float* const lowest =
            points.values.component(c) + static_cast<std::size_t>(tables.z.axis.tileOf(z)) * layer;
        combineFour(tables.z, z, lowest, layer, static_cast<int>(layer),
                    scratch.data() + static_cast<std::size_t>(c) * layer);
    }
    float* const lines = scratch.data() + 3 * layer;
    float* const line[3] = {lines, lines + padded, lines + 2 * padded};
    for (int y = 0; y < out.size.y; ++y) {
        for (std::size_t c = 0; c < 3; ++c)
            combineFour(tables.y, y,
                        scratch.data() + c * layer +
                            static_cast<std::size_t>(tables.y.axis.tileOf(y)) * row,
                        row, count.x, line[c]);
        const std::size_t i = out.componentView(0).offset(0, y, 0);
        bspline::expand(tables.x, {line[0], line[1], line[2]}, {out.u + i, out.v + i, out.w + i});
    }
}

const char* name(BsplineCpuVariant variant) {
    return enumText(variant, {"plain", "rows", "vector-per-tile", "vector-per-voxel", "separable"});
}

void bsplineField(BsplineCpuVariant variant, ControlPointsView<const float> points,
                  FieldView<float> field, const ExecContext& ctx) {
    bspline::check(points.grid, points.values.size, field.size);
    if (variant == BsplineCpuVariant::Plain || variant == BsplineCpuVariant::Separable) {
        const bspline::PlaneTables tables(points.grid);
        parallelFor(ctx, field.size.z, 1, [&](int begin, int end) {
            ctx.throwIfCancelled();
            for (int z = begin; z < end; ++z)
                if (variant == BsplineCpuVariant::Plain)
                    bspline::planeByPlainLoop(points, z, planeOf(field, z));
                else
                    bspline::planeOfField(points, tables, z, planeOf(field, z));
        });
        return;
    }
    bspline::checkFromFirstVoxel(points.grid);
    const bspline::TileTables tables(points.grid);
    const bspline::TileInput in{points, field, &tables};
    const auto tiles = variant == BsplineCpuVariant::Rows ? bspline::fieldByRows
                       : variant == BsplineCpuVariant::VectorPerTile
                           ? bspline::fieldByVectorPerTile
                           : bspline::fieldByVectorPerVoxel;
    const int rows = points.values.size.y - 3, planes = points.values.size.z - 3;
    parallelFor(ctx, rows * planes, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int row = begin; row < end; ++row)
            tiles(in, row % rows, row / rows);
    });
}

void bsplineField(ControlPointsView<const float> points, FieldView<float> field,
                  const ExecContext& ctx) {
    bsplineField(ctx.backend == Backend::CpuReference ? BsplineCpuVariant::Plain
                                                      : BsplineCpuVariant::Separable,
                 points, field, ctx);
}

std::size_t bsplineGradientScratch(const ControlGrid& grid) {
    const Size3 points = grid.points();
    return 3 * Size3{points.x, points.y, grid.image.z}.voxels();
}

void bsplineGradient(FieldView<const float> perVoxel, ControlPointsView<float> sums,
                     const ExecContext& ctx) {
    bspline::check(sums.grid, sums.values.size, perVoxel.size);
    const bspline::PlaneTables tables(sums.grid);
    const Size3 size = perVoxel.size, count = sums.values.size;
    if (ctx.backend == Backend::CpuReference) {
        parallelFor(ctx, count.z, 1, [&](int begin, int end) {
            ctx.throwIfCancelled();
            for (int k = begin; k < end; ++k)
                sumsByPlainLoop(perVoxel, sums, tables, k);
        });
        return;
    }
    // Over y first, whose vectors lie along x; what remains for the sum over x is a δy-th.
    const auto row = static_cast<std::size_t>(count.x), width = static_cast<std::size_t>(size.x);
    const std::size_t plane = row * static_cast<std::size_t>(count.y);
    Buffer<float> planes = ctx.pool->acquire<float>(bsplineGradientScratch(sums.grid),
                                                    "sums of a B-spline's gradient");
    const std::vector<Reach> alongY = reachesOf(tables.y);
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        std::vector<float> line(3 * width);
        for (int z = begin; z < end; ++z)
            for (int j = 0; j < count.y; ++j) {
                for (int c = 0; c < 3; ++c)
                    alongY[static_cast<std::size_t>(j)].sum(
                        perVoxel.componentView(c).row(0, z), width, size.x,
                        line.data() + static_cast<std::size_t>(c) * width);
                float* const to = planes.data() + 3 * static_cast<std::size_t>(z) * plane +
                                  static_cast<std::size_t>(j) * row;
                bspline::reduce(tables.x,
                                {line.data(), line.data() + width, line.data() + 2 * width},
                                {to, to + plane, to + 2 * plane});
            }
    });
    parallelFor(ctx, count.z, 1, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            for (int c = 0; c < 3; ++c)
                Reach(tables.z, k)
                    .sum(planes.data() + static_cast<std::size_t>(c) * plane, 3 * plane,
                         static_cast<int>(plane),
                         sums.values.component(c) + static_cast<std::size_t>(k) * plane);
    });
}

} // namespace systole
