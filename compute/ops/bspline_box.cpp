#include "compute/ops/bspline_box.h"

#include "compute/ops/bspline_field_check.h"
#include "compute/ops/bspline_field_math.h"

#include <array>
#include <cstddef>
#include <vector>

namespace systole {
namespace {

using Table = std::vector<bspline::Weights<float>>;

Table tableOf(int tile) {
    Table table;
    for (int index = 0; index < tile; ++index)
        table.push_back(bspline::weightsOfVoxel(index, tile));
    return table;
}

const bspline::Weights<float>& at(const Table& table, int voxel) {
    return table[static_cast<std::size_t>(voxel) % table.size()];
}

/// line[i] = one component's control points around a row of voxels, summed over y and z.
void sumOverPlane(const VolumeView<const float>& points, int first, int j, int k,
                  const bspline::Weights<float>& y, const bspline::Weights<float>& z,
                  std::vector<float>& line) {
    std::fill(line.begin(), line.end(), 0.0f);
    for (int n = 0; n < 4; ++n)
        for (int m = 0; m < 4; ++m) {
            const float weight = y.of[m] * z.of[n];
            const float* const row = points.row(j + m, k + n) + first;
            for (std::size_t i = 0; i < line.size(); ++i)
                line[i] += weight * row[i];
        }
}

} // namespace

void bsplineFieldInBox(ControlPointsView<const float> points, const VoxelBox& box,
                       FieldView<float> field, const ExecContext& ctx) {
    const Size3 image = points.grid.image, tile = points.grid.tile, size = box.size;
    bspline::check(points.grid, points.values.size, image);
    if (field.size != size || box.x < 0 || box.y < 0 || box.z < 0 || box.x + size.x > image.x ||
        box.y + size.y > image.y || box.z + size.z > image.z)
        throw ComputeError("a part of a B-spline's field must lie in its image");
    const Table alongX = tableOf(tile.x), alongY = tableOf(tile.y), alongZ = tableOf(tile.z);
    const int first = box.x / tile.x, last = (box.x + size.x - 1) / tile.x + 3;
    parallelFor(ctx, size.y * size.z, 8, [&](int begin, int end) {
        ctx.throwIfCancelled();
        std::vector<float> line(static_cast<std::size_t>(last - first + 1));
        for (int row = begin; row < end; ++row) {
            const int y = box.y + row % size.y, z = box.z + row / size.y;
            for (int axis = 0; axis < 3; ++axis) {
                sumOverPlane(points.values.componentView(axis), first, y / tile.y, z / tile.z,
                             at(alongY, y), at(alongZ, z), line);
                float* const out = field.componentView(axis).row(row % size.y, row / size.y);
                for (int x = 0; x < size.x; ++x) {
                    const bspline::Weights<float>& w = at(alongX, box.x + x);
                    const float* const p = line.data() + (box.x + x) / tile.x - first;
                    out[x] = w.of[0] * p[0] + w.of[1] * p[1] + w.of[2] * p[2] + w.of[3] * p[3];
                }
            }
        }
    });
}

} // namespace systole
