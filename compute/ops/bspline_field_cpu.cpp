// The separable variant: for each row of voxels along x and plane of control points the sum over y,
// of it the sum over x, and of four of these rows the sum over z: 4 + 4/δz + 4/(δx δz) products per
// component. These are the sums of the device's kernels in their order, so that both have the same
// bits where the processor has fused multiply-adds.
#include "compute/core/enum_text.h"
#include "compute/ops/bspline_cpu_variants.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/bspline_field_check.h"
#include "compute/ops/bspline_field_math.h"
#include "compute/ops/bspline_rows.h"
#include "compute/ops/row_resampling.h"

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
    rows::mix(rows, axis.weights(voxel), 4, count, out);
}

/// The voxels of an axis that a control point reaches.
struct Reach {
    int begin, end;

    Reach(const AxisTable& table, int point)
        : begin(table.axis.begin(point - 3)), end(table.axis.begin(point + 1)) {}
};

/// The rows of voxels of one y before the sum over z: for each component and plane of control
/// points the sum over y and x.
struct RowsOfPlanes {
    RowsOfPlanes(const bspline::PlaneTables& tables, int width)
        : along(tables)
        , width(static_cast<std::size_t>(width))
        , planes(static_cast<std::size_t>(tables.z.axis.points()))
        , rows(3 * planes * this->width)
        , padded(static_cast<std::size_t>(tables.x.axis.points() + bspline::rowPadding))
        , lines(3 * padded) {}

    void fill(ControlPointsView<const float> points, int y) {
        const Size3 count = points.values.size;
        const auto row = static_cast<std::size_t>(count.x);
        for (std::size_t k = 0; k < planes; ++k) {
            const std::size_t lowest = points.values.componentView(0).offset(
                0, along.y.axis.tileOf(y), static_cast<int>(k));
            for (int c = 0; c < 3; ++c)
                combineFour(along.y, y, points.values.component(c) + lowest, row, count.x, line(c));
            bspline::expand(along.x, {line(0), line(1), line(2)}, {at(0, k), at(1, k), at(2, k)});
        }
    }
    void write(int y, int z, FieldView<float> field) {
        const auto lowest = static_cast<std::size_t>(along.z.axis.tileOf(z));
        for (int c = 0; c < 3; ++c)
            combineFour(along.z, z, at(c, lowest), width, field.size.x,
                        field.componentView(c).row(y, z));
    }

private:
    float* line(int c) { return lines.data() + static_cast<std::size_t>(c) * padded; }
    float* at(int c, std::size_t plane) {
        return rows.data() + (static_cast<std::size_t>(c) * planes + plane) * width;
    }

    const bspline::PlaneTables& along;
    std::size_t width, planes;
    std::vector<float> rows;
    std::size_t padded;
    std::vector<float> lines;
};

/// sums(first point + n) = Σ over the axis of weight · the rows from `rows` on; a row of sums every
/// `step`, zero before.
void reduceRows(const AxisTable& table, const float* rows, std::size_t stride, int count,
                float* sums, std::size_t step) {
    for (int tile = 0; tile < table.axis.tiles(); ++tile) {
        const int begin = table.axis.begin(tile), end = table.axis.begin(tile + 1);
        float* const to = sums + static_cast<std::size_t>(tile) * step;
        if (begin < end)
            bspline::addToFour(rows + static_cast<std::size_t>(begin) * stride, stride,
                               table.weights(begin), end - begin, count,
                               {to, to + step, to + 2 * step, to + 3 * step});
    }
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

void separableField(ControlPointsView<const float> points, FieldView<float> field,
                    const ExecContext& ctx) {
    const bspline::PlaneTables tables(points.grid);
    constexpr int together = 4; // rows that are written one behind another
    parallelFor(ctx, field.size.y, together, [&](int begin, int end) {
        ctx.throwIfCancelled();
        std::vector<RowsOfPlanes> rows;
        for (int y = begin; y < end; ++y)
            rows.emplace_back(tables, field.size.x).fill(points, y);
        for (int z = 0; z < field.size.z; ++z)
            for (int y = begin; y < end; ++y)
                rows[static_cast<std::size_t>(y - begin)].write(y, z, field);
    });
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
    if (variant == BsplineCpuVariant::Plain)
        return parallelFor(ctx, field.size.z, 1, [&](int begin, int end) {
            ctx.throwIfCancelled();
            for (int z = begin; z < end; ++z)
                bspline::planeByPlainLoop(points, z, planeOf(field, z));
        });
    if (variant == BsplineCpuVariant::Separable)
        return separableField(points, field, ctx);
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
    return 3 * Size3{grid.image.x, grid.image.y, grid.points().z}.voxels();
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
    // Sums over z, then y and x, as on a device.
    const auto width = static_cast<std::size_t>(size.x);
    const std::size_t plane = width * static_cast<std::size_t>(size.y),
                      layer = static_cast<std::size_t>(count.z) * plane;
    Buffer<float> overZ = ctx.pool->acquire<float>(bsplineGradientScratch(sums.grid),
                                                   "sums of a B-spline's gradient");
    parallelFor(ctx, size.y, 4, [&](int begin, int end) {
        ctx.throwIfCancelled();
        const auto rows = static_cast<std::size_t>(begin) * width;
        const auto values = static_cast<int>(static_cast<std::size_t>(end - begin) * width);
        for (std::size_t c = 0; c < 3; ++c) {
            float* const to = overZ.data() + c * layer + rows;
            for (int k = 0; k < count.z; ++k)
                std::fill_n(to + static_cast<std::size_t>(k) * plane, values, 0.0f);
            reduceRows(tables.z, perVoxel.component(static_cast<int>(c)) + rows, plane, values, to,
                       plane);
        }
    });
    parallelFor(ctx, count.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        const std::size_t rows = static_cast<std::size_t>(count.y) * width;
        std::vector<float> overY(3 * rows);
        for (int k = begin; k < end; ++k) {
            std::fill(overY.begin(), overY.end(), 0.0f);
            for (std::size_t c = 0; c < 3; ++c)
                reduceRows(tables.y, overZ.data() + c * layer + static_cast<std::size_t>(k) * plane,
                           width, size.x, overY.data() + c * rows, width);
            for (int j = 0; j < count.y; ++j) {
                const float* const from = overY.data() + static_cast<std::size_t>(j) * width;
                const std::size_t to = sums.values.componentView(0).offset(0, j, k);
                bspline::reduce(tables.x, {from, from + rows, from + 2 * rows},
                                {sums.values.u + to, sums.values.v + to, sums.values.w + to});
            }
        }
    });
}

} // namespace systole
