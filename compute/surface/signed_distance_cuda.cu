// The signed distance of a mask on the device: the nearest crossing of each row by bits, then along
// y and z a search that starts at the voxel and ends where no candidate can be nearer.
#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/staged_copy.h"
#include "compute/surface/signed_distance.h"
#include "compute/surface/signed_distance_math.h"

#include <cmath>

namespace systole {
namespace {

constexpr int rowsPerBlock = 8;
constexpr int planesPerThread = 1;

/// A warp per row. Bit i of the row's words: voxels i and i + 1 lie on different sides.
__global__ void alongRowsKernel(VolumeView<const std::uint8_t> inside, float spacing,
                                float* squared) {
    extern __shared__ unsigned words[];
    const int n = inside.size.x, rows = inside.size.y * inside.size.z;
    const int wordsPerRow = (n + 31) / 32;
    const int lane = static_cast<int>(threadIdx.x);
    const int row = static_cast<int>(blockIdx.x) * rowsPerBlock + static_cast<int>(threadIdx.y);
    if (row >= rows)
        return; // the whole warp
    unsigned* const mine = words + static_cast<int>(threadIdx.y) * wordsPerRow;
    const std::size_t first = static_cast<std::size_t>(row) * static_cast<std::size_t>(n);
    const std::uint8_t* const side = inside.data + first;
    for (int w = 0; w < wordsPerRow; ++w) {
        const int i = 32 * w + lane;
        const bool differs = i + 1 < n && (side[i] != 0) != (side[i + 1] != 0);
        const unsigned word = __ballot_sync(0xffffffffu, differs);
        if (lane == 0)
            mine[w] = word;
    }
    __syncwarp();
    for (int x = lane; x < n; x += 32) {
        float nearest = INFINITY;
        unsigned word = mine[x / 32] & (0xffffffffu << x % 32);
        for (int w = x / 32;;) {
            if (word != 0) {
                const int face = 32 * w + __ffs(static_cast<int>(word)) - 1;
                nearest = static_cast<float>(face - x) + 0.5f;
                break;
            }
            if (++w == wordsPerRow)
                break;
            word = mine[w];
        }
        word = mine[x / 32] & ~(0xffffffffu << x % 32);
        for (int w = x / 32;;) {
            if (word != 0) {
                const int face = 32 * w + 31 - __clz(static_cast<int>(word));
                nearest = fminf(nearest, static_cast<float>(x - face) - 0.5f);
                break;
            }
            if (--w < 0)
                break;
            word = mine[w];
        }
        const float millimeters = nearest * spacing;
        squared[first + static_cast<std::size_t>(x)] = millimeters * millimeters;
    }
}

/// Position of a line along an axis, seen from one of its voxels.
struct Line {
    std::size_t here, stride;
    int at, count;
};

__device__ Line lineOf(const VolumeView<const std::uint8_t>& inside, int axis, int x, int y,
                       int z) {
    return {inside.offset(x, y, z), inside.offset(0, axis == 1, axis == 2), axis == 1 ? y : z,
            axis == 1 ? inside.size.y : inside.size.z};
}

/// The least candidate in one direction, below `best`.
__device__ float searchFrom(const std::uint8_t* inside, const float* squared, Line line, int step,
                            float scale, float best) {
    bool side = inside[line.here] != 0;
    float before = squared[line.here];
    std::size_t at = line.here;
    const int voxels = step > 0 ? line.count - 1 - line.at : line.at;
    for (int i = 0; i < voxels; ++i) {
        const float along = static_cast<float>(i) + 0.5f;
        const float lowerBound = scale * along * along;
        if (lowerBound >= best)
            break;
        at = step > 0 ? at + line.stride : at - line.stride;
        const bool nextSide = inside[at] != 0;
        const float after = squared[at];
        best = fminf(best, lowerBound + distance::betweenVoxels(side != nextSide, before, after));
        side = nextSide;
        before = after;
    }
    return best;
}

__global__ void alongAxisKernel(VolumeView<const std::uint8_t> inside, int axis, float spacing,
                                const float* squared, float* out, bool last) {
    const gpu::Column c = gpu::columnOf(inside.size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const Line line = lineOf(inside, axis, c.x, c.y, z);
        float best = squared[line.here];
        best = searchFrom(inside.data, squared, line, 1, spacing * spacing, best);
        best = searchFrom(inside.data, squared, line, -1, spacing * spacing, best);
        if (last)
            best = inside.data[line.here] != 0 ? -sqrtf(best) : sqrtf(best);
        out[line.here] = best;
    }
}

} // namespace

void signedDistanceOnDevice(VolumeView<const std::uint8_t> inside, Vec3 spacing,
                            VolumeView<float> phi, const ExecContext& ctx) {
    distance::requireSameSize(inside.size, phi.size);
    const Size3 size = phi.size;
    const auto voxels = static_cast<double>(size.voxels());
    Buffer<float> scratch =
        ctx.cuda->devicePool().acquire<float>(size.voxels(), "squared distances");
    const auto rows = static_cast<std::size_t>(size.y) * static_cast<std::size_t>(size.z);
    const LaunchShape byRows{dim3(static_cast<unsigned>((rows + rowsPerBlock - 1) / rowsPerBlock)),
                             dim3(32, rowsPerBlock),
                             rowsPerBlock * static_cast<std::size_t>(gpu::divideUp(size.x, 32)) *
                                 sizeof(unsigned)};
    loggedCall(ctx, "distance", [&](LaunchLog& log) {
        const LaunchShape byVoxels = gpu::columnsOver(size, planesPerThread);
        log.launch({"distance along rows", 5 * voxels}, alongRowsKernel, byRows, inside,
                   static_cast<float>(spacing.x), phi.data);
        log.launch({"distance along columns", 9 * voxels}, alongAxisKernel, byVoxels, inside, 1,
                   static_cast<float>(spacing.y), phi.data, scratch.data(), false);
        log.launch({"distance across planes", 9 * voxels}, alongAxisKernel, byVoxels, inside, 2,
                   static_cast<float>(spacing.z), scratch.data(), phi.data, true);
    });
    if (const float first = fetched(phi.data, *ctx.cuda); std::isinf(first))
        throw distance::noBorder(first < 0, "the mask");
}

} // namespace systole
