#include "compute/core/error.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/narrow_band.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace systole {

void checkBandSize(Size3 size) {
    if (size.voxels() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw ComputeError("a signed distance of " + std::to_string(size.voxels()) +
                           " voxels is too large for a narrow band: at most 2147483647");
}

void refuseEmptyBand(float delta) {
    throw ComputeError("the signed distance has no voxel within " + std::to_string(delta) +
                       " of its zero level: there is no surface");
}

void refuseNotFinite(Size3 size, std::size_t offset) {
    const auto x = static_cast<std::size_t>(size.x), y = static_cast<std::size_t>(size.y);
    throw ComputeError("the signed distance at voxel " + std::to_string(offset % x) + ", " +
                       std::to_string(offset / x % y) + ", " + std::to_string(offset / x / y) +
                       " is not a finite number");
}

Buffer<int> narrowBand(VolumeView<const float> phi, float delta, const ExecContext& ctx) {
    checkBandSize(phi.size);
    const std::size_t plane = phi.voxels() / static_cast<std::size_t>(phi.size.z);
    // First voxel of every plane in the list: counted, then summed.
    std::vector<std::size_t> first(static_cast<std::size_t>(phi.size.z) + 1);
    std::vector<std::size_t> bad(static_cast<std::size_t>(phi.size.z), phi.voxels());
    overItems(bad.size(), 1, ctx, [&](std::size_t z) {
        ctx.throwIfCancelled();
        for (std::size_t i = z * plane; i < (z + 1) * plane; ++i) {
            first[z + 1] += std::abs(phi.data[i]) <= delta;
            if (!std::isfinite(phi.data[i]) && bad[z] == phi.voxels())
                bad[z] = i;
        }
    });
    for (const std::size_t offset : bad)
        if (offset < phi.voxels())
            refuseNotFinite(phi.size, offset);
    std::inclusive_scan(first.begin(), first.end(), first.begin());
    if (first.back() == 0)
        refuseEmptyBand(delta);
    Buffer<int> band = ctx.pool->acquire<int>(first.back(), "narrow band");
    overItems(bad.size(), 1, ctx, [&](std::size_t z) {
        int* out = band.data() + first[z];
        for (std::size_t i = z * plane; i < (z + 1) * plane; ++i)
            if (std::abs(phi.data[i]) <= delta)
                *out++ = static_cast<int>(i);
    });
    return band;
}

} // namespace systole
