// Replaces the values of both frames by others of each voxel, for the ways of CLG to treat
// brightness that differs (ClgBrightness).
#pragma once

#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/steps_cuda.cuh"

namespace systole::clg {

inline constexpr int matchedPlanes = 4; ///< planes per thread
inline constexpr int cellsPerBlock = 4;

/// A warp for each cell.
inline LaunchShape warpsOver(const BrightnessCells& cells) {
    return {dim3(static_cast<unsigned>(
                gpu::divideUp(static_cast<int>(cells.count.voxels()), cellsPerBlock))),
            dim3(gpu::tileX, cellsPerBlock)};
}
/// May be beyond the last cell.
__device__ inline int cellOfWarp() {
    return static_cast<int>(blockIdx.x) * cellsPerBlock + static_cast<int>(threadIdx.y);
}
/// body(x, y, z) for each of a lane's voxels of its warp's cell.
template <typename Body>
__device__ inline void forVoxelsOfLane(const BrightnessCells& cells, int cell, const Body& body) {
    const int x0 = cell % cells.count.x * cells.side[0];
    const int y0 = cell / cells.count.x % cells.count.y * cells.side[1];
    const int z0 = cell / cells.count.x / cells.count.y * cells.side[2];
    const int nx = min(cells.side[0], cells.volume.x - x0);
    const int ny = min(cells.side[1], cells.volume.y - y0);
    const int nz = min(cells.side[2], cells.volume.z - z0);
    for (int n = static_cast<int>(threadIdx.x); n < nx * ny * nz; n += gpu::tileX)
        body(x0 + n % nx, y0 + n / nx % ny, z0 + n / nx / ny);
}

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
