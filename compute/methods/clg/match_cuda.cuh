// Replaces the values of both frames by others of each voxel, for the ways of CLG to treat
// brightness that differs (ClgBrightness).
#pragma once

#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/steps_cuda.cuh"

namespace systole::clg {

inline constexpr int matchedPlanes = 4; ///< planes per thread

/// match.applies() says whether anything is done; match(x, y, z, i) writes warped[i] and returns
/// its difference from the fixed frame.
template <typename Match>
__global__ void matchKernel(const __grid_constant__ Match match,
                            const __grid_constant__ MatchedFrames f, gpu::GridSum room) {
    if (!match.applies())
        return;
    const gpu::Column c = gpu::columnOf(f.fixed.size, matchedPlanes);
    float squared = 0, count = 0;
    for (int z = c.begin; z < (c.inGrid ? c.end : c.begin); ++z) {
        const std::size_t i = f.fixed.offset(c.x, c.y, z);
        const float difference = match(c.x, c.y, z, i);
        if (f.findEpsilon && c.y % rowStep == 0) {
            squared += f.inside[i] * difference * difference;
            count += f.inside[i];
        }
    }
    double2 total;
    if (f.findEpsilon &&
        gpu::gridSum({static_cast<double>(squared), static_cast<double>(count)}, room, total))
        f.state->epsilon = epsilonOf(total.x, total.y);
}

} // namespace systole::clg
