#include "compute/core/error.h"
#include "compute/core/voxel.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/level_set.h"
#include "compute/surface/level_set_math.h"

#include <cmath>
#include <vector>

namespace systole {
namespace {

/// The voxels near the surface, in their order in memory.
std::vector<Voxel> bandOf(VolumeView<const float> phi, float width) {
    std::vector<Voxel> band;
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
    const auto move = [&](int x, int y, int z) {
        const std::size_t i = phi.offset(x, y, z);
        const float here = phi.data[i];
        if (std::abs(here) > levelSetBand * h) {
            next.data[i] = here;
            return;
        }
        float speed = force.data.data[i];
        if (!force.prior.empty())
            speed += force.priorWeight *
                     front::pullTowards(force.prior.data[i], here, force.priorSoftness);
        const float outward = speed * front::upwindSlope(front::slopesOf(phi, x, y, z, h), speed);
        const float flattening = force.smoothness * front::curvatureTimesSlope(phi, x, y, z, h);
        next.data[i] = phi(x, y, z) + time * (flattening - outward);
    };
    // Values outside the list never change; those in it stop changing when they leave the band.
    const std::vector<Voxel> band = bandOf(phi, (levelSetBand + levelSetSteps) * h);
    constexpr int chunk = 4096;
    for (int step = 0; step < steps; ++step) {
        ctx.throwIfCancelled();
        overItems(band.size(), chunk, ctx,
                  [&](std::size_t i) { move(band[i].x, band[i].y, band[i].z); });
        overItems(band.size(), chunk, ctx, [&](std::size_t i) {
            const std::size_t at = phi.offset(band[i].x, band[i].y, band[i].z);
            phi.data[at] = next.data[at];
        });
    }
}

} // namespace systole
