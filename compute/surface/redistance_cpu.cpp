#include "compute/core/error.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/closest_points.h"
#include "compute/surface/redistance.h"
#include "compute/surface/redistance_math.h"
#include "compute/surface/signed_distance_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace systole {
namespace {

/// The closest point of each voxel, found exactly by comparison with every point: the reference of
/// spreadClosestPoints(). Takes as many steps as voxels times points.
void nearestOfAllPoints(FieldView<const float> points, Vec3 spacing,
                        VolumeView<std::int32_t> source, const ExecContext& ctx) {
    std::vector<std::int32_t> all;
    for (std::size_t i = 0; i < source.voxels(); ++i)
        if (!std::isnan(points.u[i]))
            all.push_back(static_cast<std::int32_t>(i));
    const ClosestPoints closest(points, spacing);
    overVoxels(source.size, ctx, [&](int x, int y, int z) {
        source(x, y, z) = -1;
        float minSquared = std::numeric_limits<float>::infinity();
        for (const std::int32_t from : all) {
            const float squared = closest.squaredDistance(from, x, y, z);
            if (squared < minSquared) {
                minSquared = squared;
                source(x, y, z) = from;
            }
        }
    });
}

void distanceTo(const level::Level& f, Vec3 spacing, VolumeView<float> phi,
                const ExecContext& ctx) {
    const Size3 size = phi.size;
    if (size.voxels() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw ComputeError("distances to a level are found on grids of up to 2^31 voxels");
    const ScopedSpan span(ctx.profile, "distance", "distance to a level",
                          48 * static_cast<double>(phi.voxels()));
    Buffer<float> storage = ctx.pool->acquire<float>(3 * size.voxels(), "closest points");
    Buffer<std::int32_t> sources =
        ctx.pool->acquire<std::int32_t>(size.voxels(), "voxels of closest points");
    const FieldView<float> points(storage.data(), size);
    const VolumeView<std::int32_t> source(sources.data(), size);
    overVoxels(size, ctx, [&](int x, int y, int z) {
        const std::size_t here = source.offset(x, y, z);
        level::Point closest{};
        points.u[here] = points.v[here] = points.w[here] = NAN;
        if (level::closestBeside(f, x, y, z, closest)) {
            points.u[here] = closest.x;
            points.v[here] = closest.y;
            points.w[here] = closest.z;
        }
    });
    ctx.throwIfCancelled();
    if (ctx.backend == Backend::CpuReference)
        nearestOfAllPoints(points, spacing, source, ctx);
    else
        spreadClosestPoints(points, spacing, source, ctx);
    if (source(0, 0, 0) < 0)
        throw distance::noBorder(f.inside(0), "the level");
    ctx.throwIfCancelled();
    // Not straight into phi, which may be the values that are still sampled.
    Buffer<float> distances = ctx.pool->acquire<float>(size.voxels(), "distances");
    const VolumeView<float> found(distances.data(), size);
    overVoxels(size, ctx, [&](int x, int y, int z) {
        const std::size_t here = found.offset(x, y, z);
        const float distance =
            std::sqrt(level::squaredToSurface(f, points, source.data[here], x, y, z));
        found.data[here] = f.inside(here) ? -distance : distance;
    });
    std::ranges::copy(found.span(), phi.data);
}

} // namespace

void distanceToLevel(VolumeView<const float> values, float level, Inside inside, Vec3 spacing,
                     VolumeView<float> phi, const ExecContext& ctx) {
    distance::requireSameSize(values.size, phi.size);
    distanceTo(level::levelOf(values, level, inside, spacing), spacing, phi, ctx);
}

void redistance(VolumeView<float> phi, Vec3 spacing, float band, const ExecContext& ctx) {
    level::Level f = level::levelOf(phi, 0, Inside::Below, spacing);
    f.wanted = band;
    distanceTo(f, spacing, phi, ctx);
}

} // namespace systole
