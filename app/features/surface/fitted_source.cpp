#include "app/features/surface/fitted_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace systole {
namespace {

int halfOf(int voxels) { return std::max(1, voxels / 2); }

/// Cells of two voxels along each axis that has two.
std::shared_ptr<const Volume> halved(const Volume& fine, const ExecContext& ctx) {
    const Geometry& grid = fine.geometry;
    const Size3 n = grid.size();
    const Size3 size{halfOf(n.x), halfOf(n.y), halfOf(n.z)};
    const Vec3 cell{n.x > 1 ? 2.0 : 1.0, n.y > 1 ? 2.0 : 1.0, n.z > 1 ? 2.0 : 1.0};
    const Vec3 step = grid.spacing();
    auto coarse = std::make_shared<Volume>(
        Geometry(size, {cell.x * step.x, cell.y * step.y, cell.z * step.z},
                 grid.indexToPhysical(0.5 * Vec3{cell.x - 1, cell.y - 1, cell.z - 1}),
                 grid.direction()),
        *ctx.pool, "coarser frame of a surface");
    coarse->timeSeconds = fine.timeSeconds;
    const VolumeView<const float> from = fine.view();
    const VolumeView<float> to = coarse->view();
    const int wide = static_cast<int>(cell.x), high = static_cast<int>(cell.y),
              deep = static_cast<int>(cell.z);
    const float weight = 1.0f / static_cast<float>(wide * high * deep);
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    float sum = 0;
                    for (int k = 0; k < deep; ++k)
                        for (int j = 0; j < high; ++j)
                            for (int i = 0; i < wide; ++i)
                                sum += from(wide * x + i, high * y + j, deep * z + k);
                    to(x, y, z) = weight * sum;
                }
    });
    return coarse;
}

} // namespace

std::size_t crossedLines(VolumeView<const float> values, float threshold, const ExecContext& ctx) {
    const Size3 n = values.size;
    std::vector<std::size_t> byPlane(static_cast<std::size_t>(n.z));
    parallelFor(ctx, n.z, 1, [&](int begin, int end) {
        for (int z = begin; z < end; ++z) {
            std::size_t crossed = 0;
            for (int y = 0; y < n.y; ++y) {
                const float* const row = values.row(y, z);
                const float* const nextRow = values.row(std::min(y + 1, n.y - 1), z);
                const float* const nextPlane = values.row(y, std::min(z + 1, n.z - 1));
                for (int x = 0; x < n.x; ++x) {
                    const bool above = row[x] > threshold;
                    crossed += static_cast<std::size_t>(
                        (above != (row[std::min(x + 1, n.x - 1)] > threshold)) +
                        (above != (nextRow[x] > threshold)) +
                        (above != (nextPlane[x] > threshold)));
                }
            }
            byPlane[static_cast<std::size_t>(z)] = crossed;
        }
    });
    return std::accumulate(byPlane.begin(), byPlane.end(), std::size_t{0});
}

FittedSource fittedSource(std::shared_ptr<const Volume> frame, float threshold,
                          const ExecContext& ctx, std::size_t maxPoints) {
    FittedSource fitted{std::move(frame), ""};
    std::size_t points = 0;
    for (int factor = 1;; factor *= 2) {
        ctx.throwIfCancelled();
        const std::size_t crossed = crossedLines(fitted.volume->view(), threshold, ctx);
        points = factor == 1 ? crossed : points;
        const bool fits = crossed <= maxPoints || fitted.volume->geometry.voxels() == 1;
        if (fits && factor > 1)
            fitted.note = fmt::format(
                "The surface is that of means over {0}×{0}×{0} voxels: {1:.1f} million points of "
                "the frame's own are more than the {2:.2f} million that the heart beats beside.",
                factor, 1e-6 * static_cast<double>(points), 1e-6 * static_cast<double>(maxPoints));
        if (fits)
            return fitted;
        fitted.volume = halved(*fitted.volume, ctx);
    }
}

} // namespace systole
