#include "compute/surface/closest_points.h"

#include "compute/core/error.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/grid_lines.h"
#include "compute/surface/lower_envelope.h"

#include <cmath>
#include <limits>
#include <vector>

namespace systole {
namespace {

/// A point as a parabola over its line.
struct Candidate {
    float vertex, height;
    std::int32_t source;
};

/// Sorts by vertex. Vertices lie within a few voxels of their place already.
void sortNearlySorted(std::vector<Candidate>& list) {
    for (std::size_t i = 1; i < list.size(); ++i)
        for (std::size_t k = i; k > 0 && list[k].vertex < list[k - 1].vertex; --k)
            std::swap(list[k], list[k - 1]);
}

void spreadAlong(int axis, FieldView<const float> points, Vec3 spacing,
                 VolumeView<std::int32_t> source, const ExecContext& ctx) {
    const int count = source.size[axis];
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const float *const along = points.component(axis), *const acrossB = points.component(b),
                       *const acrossC = points.component(c);
    const auto step = static_cast<float>(spacing[axis]);
    const auto stepB = static_cast<float>(spacing[b]), stepC = static_cast<float>(spacing[c]);
    overLines(source.size, axis, ctx, [&] {
        std::vector<Candidate> candidates;
        candidates.reserve(static_cast<std::size_t>(count));
        return [&, candidates = std::move(candidates),
                envelope = LowerEnvelope(step * step, count)](const GridLine& line) mutable {
            candidates.clear();
            const auto startB = static_cast<float>(line.start[static_cast<std::size_t>(b)]);
            const auto startC = static_cast<float>(line.start[static_cast<std::size_t>(c)]);
            for (int i = 0; i < count; ++i) {
                const std::int32_t from = source.data[line.at(i)];
                if (from < 0)
                    continue;
                const float db = (acrossB[from] - startB) * stepB;
                const float dc = (acrossC[from] - startC) * stepC;
                candidates.push_back({along[from], db * db + dc * dc, from});
            }
            sortNearlySorted(candidates);
            envelope.clear();
            for (const Candidate& candidate : candidates)
                envelope.push(candidate.vertex, candidate.height, candidate.source);
            envelope.evaluate(count, [&](int i, float, std::int32_t nearest) {
                source.data[line.at(i)] = nearest;
            });
        };
    });
}

} // namespace

void spreadClosestPoints(FieldView<const float> points, Vec3 spacing,
                         VolumeView<std::int32_t> source, const ExecContext& ctx) {
    if (source.voxels() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw ComputeError("distances to a surface are found on grids of up to 2^31 voxels");
    overVoxels(source.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = source.offset(x, y, z);
        source.data[i] = std::isnan(points.u[i]) ? -1 : static_cast<std::int32_t>(i);
    });
    for (int axis = 0; axis < 3; ++axis)
        spreadAlong(axis, points, spacing, source, ctx);
}

} // namespace systole
