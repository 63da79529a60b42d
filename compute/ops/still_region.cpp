#include "compute/ops/still_region.h"

#include "compute/ops/fill_unknown.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <atomic>
#include <vector>

namespace systole {
namespace {

using namespace still;

constexpr int planesPerChunk = 2;

float lowestOf(VolumeView<const float> frame, const ExecContext& ctx) {
    std::vector<float> perPlane(static_cast<std::size_t>(frame.size.z));
    const std::size_t plane = frame.offset(0, 0, 1);
    overItems(perPlane.size(), planesPerChunk, ctx, [&](std::size_t z) {
        perPlane[z] = *std::min_element(frame.data + z * plane, frame.data + (z + 1) * plane);
    });
    return *std::min_element(perPlane.begin(), perPlane.end());
}

} // namespace

bool findStillRegion(VolumeView<const float> fixed, VolumeView<const float> moving,
                     VolumeView<std::uint8_t> kinds, const ExecContext& ctx) {
    const float lowestFixed = lowestOf(fixed, ctx), lowestMoving = lowestOf(moving, ctx);
    std::atomic<bool> any = false;
    overVoxels(fixed.size, ctx, [&](int x, int y, int z) {
        const bool f = isEmpty(fixed, lowestFixed, x, y, z),
                   m = isEmpty(moving, lowestMoving, x, y, z);
        kinds(x, y, z) =
            static_cast<std::uint8_t>((f ? emptyInFixed : 0) | (m ? emptyInMoving : 0));
        if (f && m)
            any.store(true, std::memory_order_relaxed);
    });
    if (!any)
        return false;
    const VolumeView<const std::uint8_t> found = kinds;
    const double edge = sumOverVoxels(fixed.size, ctx, [&](int x, int y, int z) {
        return isEdgeOfEmpty(found, x, y, z) ? 1.0 : 0.0;
    });
    const double changed = sumOverVoxels(fixed.size, ctx, [&](int x, int y, int z) {
        const std::uint8_t kind = found(x, y, z);
        return kind == emptyInFixed || kind == emptyInMoving ? 1.0 : 0.0;
    });
    return isStill(changed, edge);
}

void markStillRegion(VolumeView<const std::uint8_t> kinds, std::array<int, 3> factor,
                     VolumeView<std::uint8_t> counts, const ExecContext& ctx) {
    const int by[3] = {factor[0], factor[1], factor[2]};
    overVoxels(counts.size, ctx, [&](int x, int y, int z) {
        counts(x, y, z) = still::counts(kinds, by, x, y, z) ? 1 : 0;
    });
}

void extendIntoStillRegion(VolumeView<const std::uint8_t> kinds, VolumeView<float> fixed,
                           VolumeView<float> moving, float* scratch, const ExecContext& ctx) {
    auto* const masks = reinterpret_cast<std::uint8_t*>(scratch + fillScratch(kinds.size));
    const VolumeView<std::uint8_t> known(masks, kinds.size),
        next(masks + kinds.voxels(), kinds.size);
    overVoxels(kinds.size, ctx,
               [&](int x, int y, int z) { known(x, y, z) = isRecorded(kinds, x, y, z) ? 1 : 0; });
    const std::array frames{fixed, moving};
    fillUnknown(known, next, frames, scratch, ctx);
}

void markBesideStillRegion(VolumeView<const std::uint8_t> kinds, VolumeView<std::uint8_t> counts,
                           const ExecContext& ctx) {
    overVoxels(counts.size, ctx, [&](int x, int y, int z) {
        counts(x, y, z) = countsBesideEmpty(kinds, x, y, z) ? 1 : 0;
    });
}

void countedMask(VolumeView<const std::uint8_t> counts, VolumeView<const float> given,
                 VolumeView<float> mask, const ExecContext& ctx) {
    overVoxels(mask.size, ctx, [&](int x, int y, int z) {
        mask(x, y, z) = !counts(x, y, z) ? 0 : given.empty() ? 1 : given(x, y, z);
    });
}

void leaveOut(VolumeView<const std::uint8_t> counts, VolumeView<float> inside,
              const ExecContext& ctx) {
    overVoxels(inside.size, ctx, [&](int x, int y, int z) {
        inside(x, y, z) = counts(x, y, z) ? inside(x, y, z) : 0;
    });
}

} // namespace systole
