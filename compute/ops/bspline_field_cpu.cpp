// The separable form: sums over z give a plane of control points for each plane of voxels, sums
// over y a row for each of its rows, sums over x the voxels: 4 + 4/δy + 4/(δy δz) products per
// component.
#include "compute/ops/bspline_field.h"
#include "compute/ops/bspline_field_check.h"
#include "compute/ops/bspline_field_math.h"
#include "compute/ops/bspline_rows.h"

namespace systole {
namespace {

using bspline::AxisTable;

void planeByPlainLoop(ControlPointsView<const float> points, FieldView<float> field, int z) {
    const Size3 tile = points.grid.tile, count = points.values.size;
    const auto row = static_cast<std::size_t>(count.x);
    const std::size_t plane = row * static_cast<std::size_t>(count.y);
    const bspline::Weights<float> wz = bspline::weightsOfVoxel(z % tile.z, tile.z);
    for (int y = 0; y < field.size.y; ++y) {
        const bspline::Weights<float> wy = bspline::weightsOfVoxel(y % tile.y, tile.y);
        for (int x = 0; x < field.size.x; ++x) {
            const bspline::Weights<float> wx = bspline::weightsOfVoxel(x % tile.x, tile.x);
            const std::size_t lowest =
                points.values.componentView(0).offset(x / tile.x, y / tile.y, z / tile.z);
            const std::size_t i = field.componentView(0).offset(x, y, z);
            for (int c = 0; c < 3; ++c)
                field.component(c)[i] =
                    bspline::sumAt(points.values.component(c), lowest, row, plane, wx, wy, wz);
        }
    }
}

/// The four rows of `stride` values, from `first` on, with the weights of a voxel of the axis.
void combineFour(const AxisTable& axis, int voxel, const float* first, std::size_t stride,
                 int count, float* out) {
    const float* const rows[4] = {first, first + stride, first + 2 * stride, first + 3 * stride};
    bspline::combine(rows, axis.perVoxel.data() + 4 * (voxel % axis.tile), 4, count, out);
}

struct Tables {
    AxisTable x, y, z;
    explicit Tables(Size3 tile) : x(tile.x), y(tile.y), z(tile.z) {}
};

void planeBySums(ControlPointsView<const float> points, const Tables& tables,
                 FieldView<float> field, int z) {
    const Size3 count = points.values.size;
    const auto row = static_cast<std::size_t>(count.x);
    const std::size_t plane = row * static_cast<std::size_t>(count.y);
    const std::size_t padded = row + bspline::rowPadding;
    std::vector<float> scratch(3 * (plane + padded));
    for (int c = 0; c < 3; ++c) {
        const float* const lowest =
            points.values.component(c) + static_cast<std::size_t>(z / tables.z.tile) * plane;
        combineFour(tables.z, z, lowest, plane, static_cast<int>(plane),
                    scratch.data() + static_cast<std::size_t>(c) * plane);
    }
    float* const lines = scratch.data() + 3 * plane;
    float* const line[3] = {lines, lines + padded, lines + 2 * padded};
    for (int y = 0; y < field.size.y; ++y) {
        for (std::size_t c = 0; c < 3; ++c)
            combineFour(tables.y, y,
                        scratch.data() + c * plane +
                            static_cast<std::size_t>(y / tables.y.tile) * row,
                        row, count.x, line[c]);
        const std::size_t i = field.componentView(0).offset(0, y, z);
        bspline::expand(tables.x, {line[0], line[1], line[2]}, field.size.x,
                        {field.u + i, field.v + i, field.w + i});
    }
}

/// The voxels of an axis that a control point reaches, and their weights.
struct Reach {
    int begin, end;
    std::vector<float> weights;

    Reach(const AxisTable& axis, int point, int voxels)
        : begin(std::max(0, (point - 3) * axis.tile))
        , end(std::min(voxels, (point + 1) * axis.tile)) {
        for (int voxel = begin; voxel < end; ++voxel)
            weights.push_back(axis.weight(voxel, point));
    }
    /// The rows at `first + voxel · stride`, weighted and summed.
    void sum(const float* first, std::size_t stride, int count, float* out) const {
        std::vector<const float*> rows;
        for (int voxel = begin; voxel < end; ++voxel)
            rows.push_back(first + static_cast<std::size_t>(voxel) * stride);
        bspline::combine(rows.data(), weights.data(), end - begin, count, out);
    }
};

std::vector<Reach> reachesOf(const AxisTable& axis, int points, int voxels) {
    std::vector<Reach> all;
    for (int point = 0; point < points; ++point)
        all.emplace_back(axis, point, voxels);
    return all;
}

void sumsByPlainLoop(FieldView<const float> perVoxel, ControlPointsView<float> sums,
                     const Tables& tables, int k) {
    const Size3 size = perVoxel.size, count = sums.values.size;
    const Reach z(tables.z, k, size.z);
    for (int j = 0; j < count.y; ++j) {
        const Reach y(tables.y, j, size.y);
        for (int i = 0; i < count.x; ++i) {
            const Reach x(tables.x, i, size.x);
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

void bsplineField(ControlPointsView<const float> points, FieldView<float> field,
                  const ExecContext& ctx) {
    bspline::check(points.grid, points.values.size, field.size);
    const Tables tables(points.grid.tile);
    parallelFor(ctx, field.size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int z = begin; z < end; ++z)
            if (ctx.backend == Backend::CpuReference)
                planeByPlainLoop(points, field, z);
            else
                planeBySums(points, tables, field, z);
    });
}

std::size_t bsplineGradientScratch(const ControlGrid& grid) {
    const Size3 points = grid.points();
    return 3 * Size3{points.x, points.y, grid.image.z}.voxels();
}

void bsplineGradient(FieldView<const float> perVoxel, ControlPointsView<float> sums,
                     const ExecContext& ctx) {
    bspline::check(sums.grid, sums.values.size, perVoxel.size);
    const Tables tables(sums.grid.tile);
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
    const std::vector<Reach> alongY = reachesOf(tables.y, count.y, size.y);
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
                                {line.data(), line.data() + width, line.data() + 2 * width}, size.x,
                                {to, to + plane, to + 2 * plane});
            }
    });
    parallelFor(ctx, count.z, 1, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            for (int c = 0; c < 3; ++c)
                Reach(tables.z, k, size.z)
                    .sum(planes.data() + static_cast<std::size_t>(c) * plane, 3 * plane,
                         static_cast<int>(plane),
                         sums.values.component(c) + static_cast<std::size_t>(k) * plane);
    });
}

} // namespace systole
