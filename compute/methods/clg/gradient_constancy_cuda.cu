// Gradient constancy on the device: the counterpart of gradient_constancy.cpp.
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/methods/clg/tensor_math.h"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;

constexpr int maxPlanes = 16;

__global__ void combineKernel(const float* fixed, const float* warped, float* sum,
                              float* difference, std::size_t voxels) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= voxels)
        return;
    sum[i] = fixed[i] + warped[i];
    difference[i] = warped[i] - fixed[i];
}

/// The three channels of a volume at a voxel.
struct Channels {
    float of[gradientChannels];
};
__device__ Channels channelsAt(VolumeView<const float> v, const float (&scale)[3], int x, int y,
                               int z) {
    const auto beside = [&](int axis, int step) {
        return v(axis == 0 ? clampedBeside(x, step, v.size.x) : x,
                 axis == 1 ? clampedBeside(y, step, v.size.y) : y,
                 axis == 2 ? clampedBeside(z, step, v.size.z) : z);
    };
    Channels c;
#pragma unroll
    for (int axis = 0; axis < gradientChannels; ++axis)
        c.of[axis] = gradientChannel(scale[axis], beside(axis, -1), beside(axis, 1));
    return c;
}

/// |∇I|² + epsilon at a voxel, of the mean of both frames.
__device__ float normAt(const GradientConstancyStep& s, int x, int y, int z) {
    const Size3 size = s.fixed.size;
    const int at[3] = {x, y, z};
    float norm = s.state->epsilon;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] == 0 || at[axis] + 1 >= size[axis])
            continue;
        const int dx = axis == 0 ? 1 : 0, dy = axis == 1 ? 1 : 0, dz = axis == 2 ? 1 : 0;
        const std::size_t ahead = s.fixed.offset(x + dx, y + dy, z + dz),
                          behind = s.fixed.offset(x - dx, y - dy, z - dz);
        const float g =
            differenceFactor(true, s.scale[axis]) *
            (s.fixed.data[ahead] + s.warped[ahead] - (s.fixed.data[behind] + s.warped[behind]));
        norm += g * g;
    }
    return norm;
}

/// state->gradientEpsilon, or with `OfNorms` state->typicalNorm.
template <bool OfNorms>
__global__ void measureKernel(const __grid_constant__ GradientConstancyStep s, int planes,
                              GridSum room) {
    const Column c = gpu::columnOf(s.fixed.size, planes);
    float sum = 0, count = 0;
    for (int z = c.begin; z < (c.inGrid ? c.end : c.begin); ++z) {
        const float inside = s.inside[s.fixed.offset(c.x, c.y, z)];
        count += inside;
        if constexpr (OfNorms) {
            sum += inside / normAt(s, c.x, c.y, z);
        } else {
            const Channels difference = channelsAt(s.difference, s.scale, c.x, c.y, z);
            float here = 0;
#pragma unroll
            for (int k = 0; k < gradientChannels; ++k)
                here += difference.of[k] * difference.of[k];
            sum += inside * here;
        }
    }
    double2 total;
    if (!gpu::gridSum({static_cast<double>(sum), static_cast<double>(count)}, room, total))
        return;
    if constexpr (OfNorms)
        s.state->typicalNorm = typicalNorm(total.y, total.x);
    else
        s.state->gradientEpsilon = channelEpsilon(gradientChannels, total.x, total.y);
}

/// Central differences of the channels of the sum, along each axis; zero where they leave the grid.
struct Differences {
    Channels along[3];
};
__device__ Differences differencesAt(const GradientConstancyStep& s, int x, int y, int z) {
    const Size3 size = s.sum.size;
    const int at[3] = {x, y, z};
    Differences d{};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        if (at[axis] == 0 || at[axis] + 1 >= size[axis])
            continue;
        const int dx = axis == 0 ? 1 : 0, dy = axis == 1 ? 1 : 0, dz = axis == 2 ? 1 : 0;
        const Channels ahead = channelsAt(s.sum, s.scale, x + dx, y + dy, z + dz);
        const Channels behind = channelsAt(s.sum, s.scale, x - dx, y - dy, z - dz);
        const float factor = differenceFactor(true, s.scale[axis]);
#pragma unroll
        for (int k = 0; k < gradientChannels; ++k)
            d.along[axis].of[k] = factor * (ahead.of[k] - behind.of[k]);
    }
    return d;
}

__global__ void addGradients(const __grid_constant__ GradientConstancyStep s, int planes) {
    const Column c = gpu::columnOf(s.sum.size, planes);
    const float epsilon = s.state->gradientEpsilon;
    const float share = gradientShare(s.share, s.adaptive ? s.state->prefilterSigma : 0);
    for (int z = c.begin; z < (c.inGrid ? c.end : c.begin); ++z) {
        const Differences d = differencesAt(s, c.x, c.y, z);
        const Channels t = channelsAt(s.difference, s.scale, c.x, c.y, z);
        ChannelSums sums;
#pragma unroll
        for (int k = 0; k < gradientChannels; ++k)
            sums.add({d.along[0].of[k], d.along[1].of[k], d.along[2].of[k], t.of[k]});
        const std::size_t i = s.sum.offset(c.x, c.y, z);
        const float kept =
            s.rootWeights ? (1 - share) * rootFactor(normAt(s, c.x, c.y, z), s.state->typicalNorm,
                                                     [](float v) { return sqrtf(v); })
                          : 1 - share;
        const float weight = share * sums.weight(s.inside[i], epsilon);
#pragma unroll
        for (std::size_t k = 0; k < 9; ++k)
            s.product[k][i] = kept * s.product[k][i] + weight * sums.product[k];
    }
}

} // namespace

void combineFrames(VolumeView<const float> fixed, const float* warped, float* sum,
                   float* difference, LaunchLog& log) {
    const std::size_t voxels = fixed.voxels();
    log.launch({"sum and difference", 16.0 * static_cast<double>(voxels)}, combineKernel,
               gpu::threadsOver(voxels), fixed.data, warped, sum, difference, voxels);
}

void addGradientConstancy(const GradientConstancyStep& step, const GridSum& sum, LaunchLog& log) {
    const auto voxels = static_cast<double>(step.sum.voxels());
    const int planes = gpu::planesFor(step.sum.size, maxPlanes);
    const LaunchShape shape = gpu::columnsOver(step.sum.size, planes);
    log.launch({"epsilon of gradients", 8 * voxels}, measureKernel<false>, shape, step, planes,
               sum);
    if (step.rootWeights)
        log.launch({"typical norm", 12 * voxels}, measureKernel<true>, shape, step, planes, sum);
    log.launch({"products of gradients", 84 * voxels}, addGradients, shape, step, planes);
}

} // namespace systole::clg
