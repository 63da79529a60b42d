// The signed distance to a level on the device: the formulas of redistance_math.h per voxel, and
// the closest points spread along x, y and z by a search from each voxel outward.
#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/staged_copy.h"
#include "compute/surface/closest_points.h"
#include "compute/surface/redistance.h"
#include "compute/surface/redistance_math.h"
#include "compute/surface/signed_distance_math.h"

#include <cmath>
#include <limits>

namespace systole {
namespace {

constexpr int planesPerThread = 1;

__global__ void besideKernel(const __grid_constant__ level::Level f, FieldView<float> points,
                             std::int32_t* source) {
    const gpu::Column c = gpu::columnOf(f.values.size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t here = f.values.offset(c.x, c.y, z);
        level::Point closest{};
        const bool beside = level::closestBeside(f, c.x, c.y, z, closest);
        points.u[here] = beside ? closest.x : NAN;
        points.v[here] = closest.y;
        points.w[here] = closest.z;
        source[here] = beside ? static_cast<std::int32_t>(here) : -1;
    }
}

struct Spread {
    ClosestPoints points;
    const std::int32_t* from;
    std::int32_t* to;
};

/// The nearest of the points that the voxels of a line have found so far.
__global__ void spreadKernel(const __grid_constant__ Spread s, int axis) {
    const Size3 size = s.points.of.size;
    const gpu::Column c = gpu::columnOf(size, planesPerThread);
    const VolumeView<const std::int32_t> from(s.from, size);
    const std::size_t stride = from.offset(axis == 0, axis == 1, axis == 2);
    const float spacing = axis == 0 ? s.points.sx : axis == 1 ? s.points.sy : s.points.sz;
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t here = from.offset(c.x, c.y, z);
        const int at = axis == 0 ? c.x : axis == 1 ? c.y : z, count = size[axis];
        float minSquared = INFINITY;
        std::int32_t nearest = -1;
        const auto look = [&](std::size_t voxel) {
            const std::int32_t source = s.from[voxel];
            if (source < 0)
                return;
            const float squared = s.points.squaredDistance(source, c.x, c.y, z);
            if (squared < minSquared) {
                minSquared = squared;
                nearest = source;
            }
        };
        look(here);
        for (int i = 1; at - i >= 0 || at + i < count; ++i) {
            // Points lie near the voxel that has them, along the axes not searched yet and this
            // one.
            const float along = (static_cast<float>(i) - level::farthestBeside) * spacing;
            if (along > 0 && along * along >= minSquared)
                break;
            const std::size_t away = static_cast<std::size_t>(i) * stride;
            if (at - i >= 0)
                look(here - away);
            if (at + i < count)
                look(here + away);
        }
        s.to[here] = nearest;
    }
}

__global__ void distanceKernel(const __grid_constant__ level::Level f,
                               FieldView<const float> points, const std::int32_t* source,
                               float* phi) {
    const gpu::Column c = gpu::columnOf(f.values.size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t here = f.values.offset(c.x, c.y, z);
        const std::int32_t from = source[here];
        const float distance =
            from < 0 ? INFINITY : sqrtf(level::squaredToSurface(f, points, from, c.x, c.y, z));
        phi[here] = f.inside(here) ? -distance : distance;
    }
}

/// Enqueues the way from f's values to their distances, and waits for whether there is a border.
void distanceTo(const level::Level& f, VolumeView<float> phi, const ExecContext& ctx) {
    const Size3 size = phi.size;
    if (size.voxels() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw ComputeError("distances to a level are found on grids of up to 2^31 voxels");
    const auto voxels = static_cast<double>(size.voxels());
    BufferPool& pool = ctx.cuda->devicePool();
    Buffer<float> storage = pool.acquire<float>(3 * size.voxels(), "closest points");
    Buffer<std::int32_t> one = pool.acquire<std::int32_t>(size.voxels(), "voxels of points");
    Buffer<std::int32_t> other = pool.acquire<std::int32_t>(size.voxels(), "voxels of points");
    const FieldView<float> points(storage.data(), size);
    loggedCall(ctx, "distance", [&](LaunchLog& log) {
        const LaunchShape shape = gpu::columnsOver(size, planesPerThread);
        log.launch({"points beside the level", 20 * voxels}, besideKernel, shape, f, points,
                   one.data());
        std::int32_t *from = one.data(), *to = other.data();
        for (int axis = 0; axis < 3; ++axis) {
            log.launch({"spread closest points", 8 * voxels}, spreadKernel, shape,
                       Spread{{points, f.sx, f.sy, f.sz}, from, to}, axis);
            std::swap(from, to);
        }
        log.launch({"distance to points", 12 * voxels}, distanceKernel, shape, f, points, from,
                   phi.data);
    });
    if (const float first = fetched(phi.data, *ctx.cuda); std::isinf(first))
        throw distance::noBorder(first < 0, "the level");
}

} // namespace

void distanceToLevelOnDevice(VolumeView<const float> values, float level, Inside inside,
                             Vec3 spacing, VolumeView<float> phi, const ExecContext& ctx) {
    distance::requireSameSize(values.size, phi.size);
    distanceTo(level::levelOf(values, level, inside, spacing), phi, ctx);
}

void redistanceOnDevice(VolumeView<float> phi, Vec3 spacing, float band, const ExecContext& ctx) {
    Buffer<float> before = ctx.cuda->devicePool().acquire<float>(phi.voxels(), "phi before");
    ctx.cuda->copyOnDevice(phi.data, before.data(), phi.voxels() * sizeof(float),
                           CudaStream::Compute);
    level::Level f =
        level::levelOf(VolumeView<const float>(before.data(), phi.size), 0, Inside::Below, spacing);
    f.wanted = band;
    distanceTo(f, phi, ctx);
}

} // namespace systole
