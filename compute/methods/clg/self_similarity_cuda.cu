// Self-similarity on the device: the counterpart of self_similarity.cpp. Every kernel returns at
// once where the frames have shown that it has no weight.
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/methods/clg/tensor_math.h"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;

constexpr int mostPlanes = 16;

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

__device__ void describeColumn(VolumeView<const float> v, const ComparedAxes& axes,
                               FieldView<float> out, const Column& c) {
    PatchRow before = patchOf(v, axes, c.x, c.y, c.begin - 1);
    PatchRow here = patchOf(v, axes, c.x, c.y, c.begin);
    for (int z = c.begin; z < c.end; ++z) {
        const PatchRow after = patchOf(v, axes, c.x, c.y, z + 1);
        const std::size_t i = v.offset(c.x, c.y, z);
#pragma unroll
        for (int axis = 0; axis < 3; ++axis)
            if (axes.is[axis])
                out.component(axis)[i] = axes.is[2]
                                             ? patchCenter * here.of[axis] +
                                                   patchSide * (before.of[axis] + after.of[axis])
                                             : here.of[axis];
        before = here;
        here = after;
    }
}

/// describe() of the warped frame, and in a level's first warp with weight of the fixed one.
__global__ void describeKernel(const __grid_constant__ SelfSimilarityStep s, int planes) {
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

/// The channels of both frames at one voxel.
struct Channels {
    float value[mostChannels];
};
__device__ Channels channelsOf(FieldView<const float> differences, const ComparedAxes& axes, int x,
                               int y, int z) {
    const VolumeView<const float> along[3] = {
        differences.componentView(0), differences.componentView(1), differences.componentView(2)};
    Channels c{};
    float sum = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        if (!axes.is[axis])
            continue;
        const int before[3] = {axis == 0 ? max(x - comparedDistance, 0) : x,
                               axis == 1 ? max(y - comparedDistance, 0) : y,
                               axis == 2 ? max(z - comparedDistance, 0) : z};
        c.value[2 * axis] = along[axis](x, y, z);
        c.value[2 * axis + 1] = along[axis](before[0], before[1], before[2]);
        sum += c.value[2 * axis] + c.value[2 * axis + 1];
    }
    const float mean = meanDifference(sum, axes.channels());
#pragma unroll
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 2 * axis; k < 2 * axis + 2; ++k)
            c.value[k] = axes.is[axis] ? channelValue(mean, c.value[k]) : 0;
    return c;
}

__device__ Channels sumOf(const SelfSimilarityStep& s, int x, int y, int z) {
    Channels sum = channelsOf(s.ofFixed, s.axes, x, y, z);
    const Channels warped = channelsOf(s.ofWarped, s.axes, x, y, z);
#pragma unroll
    for (int k = 0; k < mostChannels; ++k)
        sum.value[k] += warped.value[k];
    return sum;
}

/// state->channelEpsilon.
__global__ void epsilonKernel(const __grid_constant__ SelfSimilarityStep s, int planes,
                              GridSum room) {
    if (!(weightsOf(s).selfSimilarity > 0))
        return;
    const Column c = gpu::columnOf(s.fixed.size, planes);
    float squared = 0, count = 0;
    for (int z = c.begin; z < (c.inGrid ? c.end : c.begin); ++z) {
        const Channels fixed = channelsOf(s.ofFixed, s.axes, c.x, c.y, z);
        const Channels warped = channelsOf(s.ofWarped, s.axes, c.x, c.y, z);
        const float inside = s.inside[s.fixed.offset(c.x, c.y, z)];
        float here = 0;
#pragma unroll
        for (int k = 0; k < mostChannels; ++k)
            here += (warped.value[k] - fixed.value[k]) * (warped.value[k] - fixed.value[k]);
        squared += inside * here;
        count += inside;
    }
    double2 total;
    if (gpu::gridSum({static_cast<double>(squared), static_cast<double>(count)}, room, total)) {
        s.state->channelEpsilon = channelEpsilon(s.axes.channels(), total.x, total.y);
        s.state->described = 1;
    }
}

__global__ void addKernel(const __grid_constant__ SelfSimilarityStep s, int planes, GridSum room) {
    const DataWeights weights = weightsOf(s);
    if (!(weights.selfSimilarity > 0))
        return;
    const Size3 size = s.fixed.size;
    const Column c = gpu::columnOf(size, planes);
    const float epsilon = s.state->channelEpsilon;
    double2 sum{0, 0};
    const bool insideX = c.x > 0 && c.x + 1 < size.x, insideY = c.y > 0 && c.y + 1 < size.y;
    Channels before{}, here{};
    if (c.inGrid) {
        before = sumOf(s, c.x, c.y, max(c.begin - 1, 0));
        here = sumOf(s, c.x, c.y, c.begin);
    }
    for (int z = c.begin; z < (c.inGrid ? c.end : c.begin); ++z) {
        const bool insideZ = z > 0 && z + 1 < size.z;
        const Channels after = sumOf(s, c.x, c.y, min(z + 1, size.z - 1));
        const Channels left = sumOf(s, max(c.x - 1, 0), c.y, z),
                       right = sumOf(s, min(c.x + 1, size.x - 1), c.y, z);
        const Channels below = sumOf(s, c.x, max(c.y - 1, 0), z),
                       above = sumOf(s, c.x, min(c.y + 1, size.y - 1), z);
        const Channels warped = channelsOf(s.ofWarped, s.axes, c.x, c.y, z);
        ChannelSums sums;
#pragma unroll
        for (int k = 0; k < mostChannels; ++k) {
            // sum = fixed + warped
            const float difference = 2 * warped.value[k] - here.value[k];
            sums.add(insideX ? s.factor[0] * (right.value[k] - left.value[k]) : 0,
                     insideY ? s.factor[1] * (above.value[k] - below.value[k]) : 0,
                     insideZ ? s.factor[2] * (after.value[k] - before.value[k]) : 0, difference);
        }
        const std::size_t i = s.fixed.offset(c.x, c.y, z);
        const float inside = s.inside[i], weight = sums.weight(inside, epsilon);
#pragma unroll
        for (int k = 0; k < 9; ++k)
            s.product[k][i] = weights.intensity * s.product[k][i] +
                              weights.selfSimilarity * weight * sums.product[k];
        sum.x += static_cast<double>(weight * sums.squaredDifference);
        sum.y += static_cast<double>(inside);
        before = here;
        here = after;
    }
    double2 total;
    if (s.alone && gpu::gridSum(sum, room, total))
        s.state->noise = total.y > 0 ? sqrt(total.x / total.y) : 0;
}

} // namespace

void addSelfSimilarity(const SelfSimilarityStep& step, const GridSum& sum, LaunchLog& log) {
    const Size3 size = step.fixed.size;
    const int planes = gpu::planesFor(size, mostPlanes);
    const LaunchShape shape = gpu::columnsOver(size, planes);
    // What has no weight moves nothing: no bytes are counted for that.
    log.launch({"describe"}, describeKernel, shape, step, planes);
    log.launch({"epsilon of channels"}, epsilonKernel, shape, step, planes, sum);
    log.launch({"products of channels"}, addKernel, shape, step, planes, sum);
}

} // namespace systole::clg
