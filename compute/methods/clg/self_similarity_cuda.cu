// Self-similarity on the device: the counterpart of self_similarity.cpp. Every kernel returns at
// once where the frames have shown that it has no weight.
#include "compute/cuda/early_launch.cuh"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/methods/clg/tensor_math.h"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;
using gpu::tileX;
using gpu::tileY;

constexpr int maxPlanes = 16;

__device__ DataWeights weightsOf(const SelfSimilarityStep& s) {
    return s.alone
               ? DataWeights{0, 1}
               : dataWeights(s.finest, s.state->noise, static_cast<double>(s.state->brightness));
}

/// The squared differences of a plane's patch at one voxel, along each compared axis.
struct PatchRow {
    float of[3];
};
__device__ PatchRow patchOf(VolumeView<const float> v, const ComparedAxes& axes, int x, int y,
                            int z) {
    const Size3 size = v.size;
    z = min(max(z, 0), size.z - 1);
    PatchRow sum{};
    const int reachX = axes.is[0] ? 1 : 0, reachY = axes.is[1] ? 1 : 0;
    for (int dy = -reachY; dy <= reachY; ++dy) {
        const int j = min(max(y + dy, 0), size.y - 1);
        const float wy = reachY == 0 ? 1.0f : dy == 0 ? patchCenter : patchSide;
        for (int dx = -reachX; dx <= reachX; ++dx) {
            const int i = min(max(x + dx, 0), size.x - 1);
            const float weight = wy * (reachX == 0 ? 1.0f : dx == 0 ? patchCenter : patchSide);
            const float here = v(i, j, z);
            const float ahead[3] = {v(min(i + comparedDistance, size.x - 1), j, z),
                                    v(i, min(j + comparedDistance, size.y - 1), z),
                                    v(i, j, min(z + comparedDistance, size.z - 1))};
#pragma unroll
            for (int axis = 0; axis < 3; ++axis)
                sum.of[axis] += weight * (here - ahead[axis]) * (here - ahead[axis]);
        }
    }
    return sum;
}

/// Writes a difference along an axis, and for the last pair of the frame to the voxels behind it,
/// too: what pairAhead() says, but without its cost where channels are read.
__device__ void writeDifference(VolumeView<float> along, int axis, int at, std::size_t i,
                                float value) {
    const int voxels = along.size[axis], last = pairAhead(voxels - 1, voxels);
    if (at > last)
        return;
    along.data[i] = value;
    const std::size_t step = axis == 0 ? 1 : along.offset(0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0);
    for (int rest = at == last ? voxels - 1 - last : 0; rest > 0; --rest)
        along.data[i += step] = value;
}

__device__ void describeColumn(VolumeView<const float> v, const ComparedAxes& axes,
                               FieldView<float> out, const Column& c) {
    PatchRow before = patchOf(v, axes, c.x, c.y, c.begin - 1);
    PatchRow here = patchOf(v, axes, c.x, c.y, c.begin);
    for (int z = c.begin; z < c.end; ++z) {
        const PatchRow after = patchOf(v, axes, c.x, c.y, z + 1);
        const std::size_t i = v.offset(c.x, c.y, z);
        const int at[3] = {c.x, c.y, z};
#pragma unroll
        for (int axis = 0; axis < 3; ++axis)
            if (axes.is[axis])
                writeDifference(out.componentView(axis), axis, at[axis], i,
                                axes.is[2] ? patchCenter * here.of[axis] +
                                                 patchSide * (before.of[axis] + after.of[axis])
                                           : here.of[axis]);
        before = here;
        here = after;
    }
}

/// describe() of the warped frame, and in a level's first warp with weight of the fixed one.
__global__ void describeKernel(const __grid_constant__ SelfSimilarityStep s, int planes) {
    gpu::waitForKernelBefore();
    const float weight = weightsOf(s).selfSimilarity;
    const Column c = gpu::columnOf(s.fixed.size, planes);
    if (c.x == 0 && c.y == 0 && c.begin == 0)
        s.state->selfSimilarity = weight;
    if (!(weight > 0) || !c.inGrid)
        return;
    describeColumn({s.warped, s.fixed.size}, s.axes, s.ofWarped, c);
    if (!s.state->described)
        describeColumn(s.fixed, s.axes, s.ofFixed, c);
}

/// The channels of a frame at one voxel; those of axes that aren't compared are zero.
struct Channels {
    float value[maxChannels];
};
__device__ Channels channelsOf(FieldView<const float> differences, const ComparedAxes& axes, int x,
                               int y, int z) {
    Channels c{};
    float sum = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        if (!axes.is[axis])
            continue;
        const VolumeView<const float> along = differences.componentView(axis);
        c.value[2 * axis] = along(x, y, z);
        c.value[2 * axis + 1] = along(axis == 0 ? pairBehind(x) : x, axis == 1 ? pairBehind(y) : y,
                                      axis == 2 ? pairBehind(z) : z);
        sum += c.value[2 * axis] + c.value[2 * axis + 1];
    }
    const float mean = meanDifference(sum, axes.channels());
    const float scaled = channelRange * mean;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 2 * axis; k < 2 * axis + 2; ++k)
            // channelValue() but for the last bits of the division, which would take half the time.
            c.value[k] = axes.is[axis] ? __fdividef(scaled, mean + c.value[k]) : 0;
    return c;
}

/// Channels of a voxel in both frames: their sum, and warped − fixed.
struct BothFrames {
    Channels sum, difference;
};
/// Address of a voxel's sum of channel k; its difference lies maxChannels volumes behind.
__device__ float* keptAt(const SelfSimilarityStep& s, int k, std::size_t i) {
    return s.kept + static_cast<std::size_t>(k) * s.fixed.voxels() + i;
}
__device__ BothFrames bothOf(const SelfSimilarityStep& s, int x, int y, int z) {
    const Channels fixed = channelsOf(s.ofFixed, s.axes, x, y, z);
    const Channels warped = channelsOf(s.ofWarped, s.axes, x, y, z);
    BothFrames both;
#pragma unroll
    for (int k = 0; k < maxChannels; ++k) {
        both.sum.value[k] = fixed.value[k] + warped.value[k];
        both.difference.value[k] = warped.value[k] - fixed.value[k];
    }
    return both;
}
/// Channels of a voxel in both frames, read from where epsilonKernel() kept them, if it did.
__device__ BothFrames bothAt(const SelfSimilarityStep& s, int x, int y, int z) {
    if (!s.kept)
        return bothOf(s, x, y, z);
    const std::size_t i = s.fixed.offset(x, y, z);
    BothFrames both;
#pragma unroll
    for (int k = 0; k < maxChannels; ++k) {
        both.sum.value[k] = *keptAt(s, k, i);
        both.difference.value[k] = *keptAt(s, maxChannels + k, i);
    }
    return both;
}

/// state->channelEpsilon; keeps the channels if there is room.
__global__ void epsilonKernel(const __grid_constant__ SelfSimilarityStep s, int planes,
                              GridSum room) {
    gpu::waitForKernelBefore();
    if (!(weightsOf(s).selfSimilarity > 0))
        return;
    const Column c = gpu::columnOf(s.fixed.size, planes);
    float squared = 0, count = 0;
    for (int z = c.begin; z < (c.inGrid ? c.end : c.begin); ++z) {
        const BothFrames both = bothOf(s, c.x, c.y, z);
        const Channels& difference = both.difference;
        const std::size_t i = s.fixed.offset(c.x, c.y, z);
#pragma unroll
        for (int k = 0; s.kept && k < maxChannels; ++k) {
            *keptAt(s, k, i) = both.sum.value[k];
            *keptAt(s, maxChannels + k, i) = difference.value[k];
        }
        const float inside = s.inside[i];
        float here = 0;
#pragma unroll
        for (int k = 0; k < maxChannels; ++k)
            here += difference.value[k] * difference.value[k];
        squared += inside * here;
        count += inside;
    }
    double2 total;
    if (gpu::gridSum({static_cast<double>(squared), static_cast<double>(count)}, room, total)) {
        s.state->channelEpsilon = channelEpsilon(s.axes.channels(), total.x, total.y);
        s.state->described = 1;
    }
}

/// The sums of a block's plane with a voxel around it, without corners.
class Tile {
public:
    __device__ float& at(int channel, int x, int y) { return value_[channel][y + 1][x + 1]; }
    __device__ void set(int x, int y, const Channels& channels) {
#pragma unroll
        for (int k = 0; k < maxChannels; ++k)
            at(k, x, y) = channels.value[k];
    }

private:
    float value_[maxChannels][tileY + 2][tileX + 2];
};

/// Fills the border around the block's plane with three warps, so that none does two parts.
__device__ void fillAround(const SelfSimilarityStep& s, int z, Tile& tile) {
    const Size3 size = s.fixed.size;
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    const int x0 = static_cast<int>(blockIdx.x) * tileX, y0 = static_cast<int>(blockIdx.y) * tileY;
    int i = tx, j = 0;
    if (ty == 0)
        j = -1;
    else if (ty == 1)
        j = tileY;
    else if (ty == 2 && tx < 2 * tileY) {
        i = tx < tileY ? -1 : tileX;
        j = tx % tileY;
    } else
        return;
    tile.set(i, j,
             bothAt(s, min(max(x0 + i, 0), size.x - 1), min(max(y0 + j, 0), size.y - 1), z).sum);
}

/// A block's columns march along z: sums behind, here and ahead stay in registers, neighbors in the
/// plane come from the tile.
__global__ void __launch_bounds__(tileX* tileY)
    addKernel(const __grid_constant__ SelfSimilarityStep s, int planes, GridSum room) {
    gpu::waitForKernelBefore();
    const DataWeights weights = weightsOf(s);
    if (!(weights.selfSimilarity > 0))
        return;
    __shared__ Tile tile;
    const Size3 size = s.fixed.size;
    const Column c = gpu::columnOf(size, planes);
    const float epsilon = s.state->channelEpsilon;
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    // Threads beyond the edge use the last voxel: they fill the tile.
    const int x = min(c.x, size.x - 1), y = min(c.y, size.y - 1);
    const bool insideX = x > 0 && x + 1 < size.x, insideY = y > 0 && y + 1 < size.y;
    double2 sum{0, 0};
    Channels behind = bothAt(s, x, y, max(c.begin - 1, 0)).sum;
    BothFrames here = bothAt(s, x, y, c.begin);
    for (int z = c.begin; z < c.end; ++z) {
        const BothFrames ahead = bothAt(s, x, y, min(z + 1, size.z - 1));
        __syncthreads(); // the plane before has been read
        tile.set(tx, ty, here.sum);
        fillAround(s, z, tile);
        __syncthreads();
        if (c.inGrid) {
            const bool insideZ = z > 0 && z + 1 < size.z;
            ChannelSums sums;
#pragma unroll
            for (int k = 0; k < maxChannels; ++k)
                sums.add(
                    {insideX ? s.factor[0] * (tile.at(k, tx + 1, ty) - tile.at(k, tx - 1, ty)) : 0,
                     insideY ? s.factor[1] * (tile.at(k, tx, ty + 1) - tile.at(k, tx, ty - 1)) : 0,
                     insideZ ? s.factor[2] * (ahead.sum.value[k] - behind.value[k]) : 0,
                     here.difference.value[k]});
            const std::size_t i = s.fixed.offset(x, y, z);
            const float inside = s.inside[i], weight = sums.weight(inside, epsilon);
#pragma unroll
            for (std::size_t k = 0; k < 9; ++k)
                s.product[k][i] = (s.ofCells ? 0.0f : weights.intensity * s.product[k][i]) +
                                  weights.selfSimilarity * weight * sums.product[k];
            sum.x += static_cast<double>(weight * sums.squaredDifference);
            sum.y += static_cast<double>(inside);
        }
        behind = here.sum;
        here = ahead;
    }
    double2 total;
    if (s.alone && gpu::gridSum(sum, room, total))
        s.state->noise = total.y > 0 ? sqrt(total.x / total.y) : 0;
}

/// Means of a cell that a thread adds.
constexpr int meansTogether = 3;

/// Adds the means of the channels' products to those of the gray values.
__global__ void addCellsKernel(const __grid_constant__ SelfSimilarityStep s) {
    gpu::waitForKernelBefore();
    const DataWeights weights = weightsOf(s);
    if (!(weights.selfSimilarity > 0))
        return;
    const Size3 size = s.fixed.size, cells{size.x / 2, size.y / 2, size.z / 2};
    const Column c = gpu::columnOf({cells.x, cells.y, 9 / meansTogether * cells.z}, 1);
    if (!c.inGrid)
        return;
    const int first = meansTogether * (c.begin / cells.z), z = c.begin % cells.z;
    float sum[meansTogether] = {}; // all are read before one is written
#pragma unroll
    for (int k = 0; k < meansTogether; ++k)
#pragma unroll
        for (int row = 0; row < 4; ++row) {
            const std::size_t i = s.fixed.offset(2 * c.x, 2 * c.y + row % 2, 2 * z + row / 2);
            const float2 pair = *reinterpret_cast<const float2*>(s.product[first + k] + i);
            sum[k] += pair.x + pair.y;
        }
#pragma unroll
    for (int k = 0; k < meansTogether; ++k) {
        // The volumes of means lie one behind another.
        float& mean = s.ofCells[VolumeView<float>(nullptr, cells)
                                    .offset(c.x, c.y, (first + k) * cells.z + z)];
        mean = weights.intensity * mean + 0.125f * sum[k];
    }
}

} // namespace

void addSelfSimilarity(const SelfSimilarityStep& step, const GridSum& sum, LaunchLog& log) {
    const Size3 size = step.fixed.size;
    const int planes = gpu::planesFor(size, maxPlanes);
    const LaunchShape shape = gpu::columnsOver(size, planes);
    // Where neighbors in z share work, half as many threads as fill a device take less time.
    const int shared = gpu::planesFor({size.x, size.y, 2 * size.z}, maxPlanes);
    const LaunchShape sharing = gpu::columnsOver(size, shared);
    // Channels without weight move no data: no bytes are counted, since the device decides that.
    gpu::launchEarly(log, {"describe"}, describeKernel, sharing, step, shared);
    gpu::launchEarly(log, {"epsilon of channels"}, epsilonKernel, shape, step, planes, sum);
    gpu::launchEarly(log, {"products of channels"}, addKernel, sharing, step, shared, sum);
    if (step.ofCells)
        gpu::launchEarly(
            log, {"channels of cells"}, addCellsKernel,
            gpu::columnsOver({size.x / 2, size.y / 2, 9 / meansTogether * (size.z / 2)}, 1), step);
}

} // namespace systole::clg
