// Finding the balance on the device: the counterpart of balance.cpp.
#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/steps_cuda.cuh"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::DeviceTaps;
using gpu::GridSum;

constexpr int planesPerThread = 4;
constexpr int prefilterThreads = 1024;

__global__ void beginLevelKernel(DeviceState* state, LevelStart start) {
    DeviceState fresh{};
    fresh.epsilon = start.epsilon;
    for (int axis = 0; axis < 3; ++axis)
        fresh.smoothness[axis] = start.smoothness[axis];
    fresh.prefilterSigma = state->prefilterSigma;
    *state = fresh;
}

/// Computes fieldRoughness and the weights that follow from it.
__global__ void roughnessKernel(FieldView<const float> field, LevelStart start, double samples,
                                DeviceState* state, GridSum room) {
    const Size3 size = field.size;
    const Column c =
        gpu::columnOf({size.x, (size.y + rowStep - 1) / rowStep, size.z}, planesPerThread);
    const int y = c.y * rowStep;
    double2 sum{0, 0};
    for (int z = c.begin; c.inGrid && z < c.end; ++z)
        for (int k = 0; k < 3; ++k) {
            const VolumeView<const float> v = field.componentView(k);
            const float here = v(c.x, y, z);
            const float dx = v(min(c.x + 1, size.x - 1), y, z) - here;
            const float dy = v(c.x, min(y + 1, size.y - 1), z) - here;
            const float dz = v(c.x, y, min(z + 1, size.z - 1)) - here;
            sum.x += static_cast<double>(dx * dx + dy * dy + dz * dz);
        }
    double2 total;
    if (gpu::gridSum(sum, room, total)) {
        const auto gain = smoothnessGain(sqrt(total.x / samples));
        for (int axis = 0; axis < 3; ++axis)
            state->smoothness[axis] =
                static_cast<float>(static_cast<double>(start.smoothness[axis]) * gain);
    }
}

__device__ double warpSum(double value) {
    for (int lane = 16; lane > 0; lane /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, lane);
    return value;
}

/// One warp per sample block: its lag-one correlation; infinite where it is constant.
__global__ void correlationKernel(VolumeView<const float> v, float* correlation) {
    constexpr int n = correlationBlock, voxels = n * n * n;
    const int lane = static_cast<int>(threadIdx.x);
    const int bx = correlationBlocks(v.size.x), by = correlationBlocks(v.size.y);
    const int index = static_cast<int>(blockIdx.x);
    const int x0 = correlationBlockStart(v.size.x, index % bx);
    const int y0 = correlationBlockStart(v.size.y, index / bx % by);
    const int z0 = correlationBlockStart(v.size.z, index / bx / by);
    const auto at = [&](int i, int dx, int dy, int dz) {
        return static_cast<double>(v(x0 + i % n + dx, y0 + i / n % n + dy, z0 + i / n / n + dz));
    };
    double mean = 0;
    for (int i = lane; i < voxels; i += 32)
        mean += at(i, 0, 0, 0);
    mean = warpSum(mean) / voxels;
    double variance = 0, covariance = 0;
    for (int i = lane; i < voxels; i += 32) {
        const double here = at(i, 0, 0, 0) - mean;
        variance += here * here;
        if (i % n + 1 < n)
            covariance += here * (at(i, 1, 0, 0) - mean);
        if (i / n % n + 1 < n)
            covariance += here * (at(i, 0, 1, 0) - mean);
        if (i / n / n + 1 < n)
            covariance += here * (at(i, 0, 0, 1) - mean);
    }
    variance = warpSum(variance);
    covariance = warpSum(covariance);
    if (lane == 0)
        correlation[index] =
            variance > leastVariance
                ? static_cast<float>(covariance / (3 * correlationPairs * variance))
                : INFINITY;
}

/// Maps values to integers of the same order, and back.
__device__ int ordered(float value) {
    const int bits = __float_as_int(value);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}
__device__ float unordered(int bits) { return __int_as_float(bits < 0 ? bits ^ 0x7fffffff : bits); }

/// The median of the finite values among `count` correlations, 1 if there are none; one block. The
/// bits of the median are found by bisection, counting how many values lie below.
__device__ float medianOf(const float* correlation, int count) {
    constexpr int perThread = correlationRoom / prefilterThreads;
    int held[perThread];
    int finite = 0;
    for (int k = 0; k < perThread; ++k) {
        const int i = static_cast<int>(threadIdx.x) + k * prefilterThreads;
        const float value = i < count ? correlation[i] : INFINITY;
        held[k] = ordered(value);
        finite += __syncthreads_count(isfinite(value));
    }
    if (finite == 0)
        return 1;
    int low = ordered(-INFINITY), high = ordered(INFINITY);
    while (low < high) {
        // Rounded down, also below zero, and without leaving the range of the type.
        const int middle = (low & high) + ((low ^ high) >> 1);
        int upTo = 0;
        for (int k = 0; k < perThread; ++k)
            upTo += __syncthreads_count(held[k] <= middle);
        if (upTo > finite / 2)
            high = middle;
        else
            low = middle + 1;
    }
    return unordered(low);
}

__global__ void prefilterKernel(const float* correlation, int count, double least, DeviceTaps* taps,
                                DeviceState* state) {
    const double automatic =
        prefilterSigma(static_cast<double>(count > 0 ? medianOf(correlation, count) : 1.0f));
    const double sigma = automatic > least ? automatic : least;
    const int radius = sigma > 0 ? static_cast<int>(ceil(3 * sigma)) : 0;
    __shared__ double weight[2 * DeviceTaps::widest + 1];
    const int k = static_cast<int>(threadIdx.x);
    if (k <= 2 * radius)
        weight[k] = sigma > 0 ? exp(-0.5 * (k - radius) * (k - radius) / (sigma * sigma)) : 1.0;
    __syncthreads();
    if (k <= 2 * radius) {
        double sum = 0;
        for (int i = 0; i <= 2 * radius; ++i)
            sum += weight[i];
        taps->weight[k] = static_cast<float>(weight[k] / sum);
    }
    if (k == 0) {
        taps->radius = radius;
        taps->sigma = state->prefilterSigma = static_cast<float>(sigma);
    }
}

} // namespace

void beginLevel(DeviceState* state, const LevelStart& start, LaunchLog& log) {
    log.launch({"begin level"}, beginLevelKernel, {dim3(1), dim3(1)}, state, start);
}

void findSmoothness(FieldView<const float> field, const LevelStart& start, DeviceState* state,
                    const GridSum& sum, LaunchLog& log) {
    const Size3 size = field.size;
    const int rows = gpu::divideUp(size.y, rowStep);
    const double samples = static_cast<double>(size.x) * rows * size.z;
    const char* const name = "field roughness";
    // Work per sampled voxel: three components and their neighbors ahead, differences squared.
    constexpr KernelCost voxel{
        .add = 9 + 3, .multiply = 3, .fusedMultiplyAdd = 6, .integer = 60, .globalLoads = 12};
    const LaunchShape shape = gpu::columnsOver({size.x, rows, size.z}, planesPerThread, log, name);
    log.launch({name, 12 * static_cast<double>(size.voxels()), 27 * samples,
                gpu::perThread(shape, samples, voxel)},
               roughnessKernel, shape, field, start, samples, state, sum);
}

void findPrefilter(VolumeView<const float> volume, double least, float* correlation,
                   DeviceTaps* taps, DeviceState* state, LaunchLog& log) {
    const Size3 size = volume.size;
    int blocks = 1;
    for (int axis = 0; axis < 3; ++axis)
        blocks *= size[axis] < correlationBlock ? 0 : correlationBlocks(size[axis]);
    static_assert(correlationBlocksPerAxis * correlationBlocksPerAxis * correlationBlocksPerAxis <=
                  correlationRoom);
    if (blocks > 0)
        log.launch({"neighbor correlation", 4.0 * 216 * blocks}, correlationKernel,
                   {dim3(static_cast<unsigned>(blocks)), dim3(32)}, volume, correlation);
    log.launch({"prefilter's width"}, prefilterKernel, {dim3(1), dim3(prefilterThreads)},
               correlation, blocks, least, taps, state);
}

} // namespace systole::clg
