#include "compute/core/error.h"
#include "compute/surface/level_set.h"
#include "compute/surface/level_set_math.h"
#include "compute/surface/level_set_reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

/// The voxels near the surface, in their order in memory.
struct BandVoxel {
    int x, y, z;
};

std::vector<BandVoxel> bandOf(VolumeView<const float> phi, float width) {
    std::vector<BandVoxel> band;
    for (int z = 0; z < phi.size.z; ++z)
        for (int y = 0; y < phi.size.y; ++y)
            for (int x = 0; x < phi.size.x; ++x)
                if (std::abs(phi(x, y, z)) <= width)
                    band.push_back({x, y, z});
    return band;
}

void check(VolumeView<const float> phi, const LevelSetForce& force, double spacing, int steps) {
    if (phi.empty() || force.data.size != phi.size ||
        (!force.prior.empty() && force.prior.size != phi.size))
        throw ComputeError("a level set, its force and its prior must have one size");
    const auto valid = [](float value) { return std::isfinite(value) && value >= 0; };
    if (!valid(force.priorWeight) || !valid(force.smoothness) || !(force.priorSoftness > 0) ||
        !(spacing > 0) || steps < 0)
        throw ComputeError("a level set's weights, spacing and steps must not be negative");
}

} // namespace

void evolveLevelSet(VolumeView<float> phi, const LevelSetForce& force, double spacing, int steps,
                    const ExecContext& ctx) {
    check(phi, force, spacing, steps);
    const auto h = static_cast<float>(spacing);
    const float time = front::stableStep(h, 1 + force.priorWeight, force.smoothness);
    Buffer<float> storage = ctx.pool->acquire<float>(phi.voxels(), "level set");
    const VolumeView<float> next(storage.data(), phi.size);
    if (ctx.backend == Backend::CpuReference) {
        for (int step = 0; step < steps; ++step) {
            ctx.throwIfCancelled();
            levelSetStepReference(phi, force, h, time, next, ctx);
            std::ranges::copy(next.span(), phi.data);
        }
        return;
    }
    // Values outside the list never change; those in it stop changing when they leave the band.
    const std::vector<BandVoxel> band = bandOf(phi, (levelSetBand + levelSetSteps) * h);
    constexpr int chunk = 4096;
    const auto count = static_cast<int>(band.size());
    const auto overBand = [&](const auto& body) {
        parallelFor(ctx, count, chunk, [&](int begin, int end) {
            for (int i = begin; i < end; ++i)
                body(band[static_cast<std::size_t>(i)]);
        });
    };
    for (int step = 0; step < steps; ++step) {
        ctx.throwIfCancelled();
        overBand([&](BandVoxel v) {
            const std::size_t i = phi.offset(v.x, v.y, v.z);
            const float here = phi.data[i];
            if (std::abs(here) > levelSetBand * h) {
                next.data[i] = here;
                return;
            }
            float speed = force.data.data[i];
            if (!force.prior.empty())
                speed += force.priorWeight *
                         front::pullTowards(force.prior.data[i], here, force.priorSoftness);
            next.data[i] = front::moved(phi, v.x, v.y, v.z, h, speed, force.smoothness, time);
        });
        overBand([&](BandVoxel v) {
            const std::size_t i = phi.offset(v.x, v.y, v.z);
            phi.data[i] = next.data[i];
        });
    }
}

} // namespace systole
