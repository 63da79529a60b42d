// How the balance is found on the device: the counterpart of compute/motion/clg_balance.cpp.
#include "compute/motion/clg_balance_math.h"
#include "compute/motion/clg_image_cuda.cuh"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::DeviceTaps;
using gpu::GridSum;

constexpr int planesPerThread = 4;

__global__ void beginLevelKernel(DeviceState* state, LevelStart start) {
    DeviceState fresh{};
    fresh.epsilon = start.epsilon;
    for (int axis = 0; axis < 3; ++axis)
        fresh.smoothness[axis] = start.smoothness[axis];
    fresh.prefilterSigma = state->prefilterSigma;
    *state = fresh;
}

/// fieldRoughness, and the weights that follow from it.
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
__global__ void correlationKernel(VolumeView<const float> v, double* correlation) {
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
        correlation[index] = variance > leastVariance
                                 ? covariance / (3 * correlationPairs * variance)
                                 : static_cast<double>(INFINITY);
}

/// The median of the finite ones among `count` correlations, 1 if there are none; one block.
__device__ double medianOf(const double* correlation, int count) {
    __shared__ double sorted[correlationRoom];
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    int length = 2;
    while (length < count)
        length *= 2;
    for (int i = thread; i < length; i += threads)
        sorted[i] = i < count ? correlation[i] : static_cast<double>(INFINITY);
    // Bitonic: runs of alternating direction are merged until one is left.
    for (int run = 2; run <= length; run *= 2)
        for (int step = run / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int i = thread; i < length; i += threads) {
                const int other = i ^ step;
                const bool ascending = (i & run) == 0;
                if (other > i && (sorted[i] > sorted[other]) == ascending) {
                    const double held = sorted[i];
                    sorted[i] = sorted[other];
                    sorted[other] = held;
                }
            }
        }
    __syncthreads();
    // The finite ones come first.
    int finite = 0;
    for (int above = length; finite < above;) {
        const int middle = (finite + above) / 2;
        if (isfinite(sorted[middle]))
            finite = middle + 1;
        else
            above = middle;
    }
    return finite > 0 ? sorted[finite / 2] : 1;
}

__global__ void prefilterKernel(const double* correlation, int count, double least,
                                DeviceTaps* taps, DeviceState* state) {
    const double automatic = prefilterSigma(count > 0 ? medianOf(correlation, count) : 1.0);
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
    log.launch({"field roughness", 12 * static_cast<double>(size.voxels()), 27 * samples},
               roughnessKernel, gpu::columnsOver({size.x, rows, size.z}, planesPerThread), field,
               start, samples, state, sum);
}

void findPrefilter(VolumeView<const float> volume, double least, double* correlation,
                   DeviceTaps* taps, DeviceState* state, LaunchLog& log) {
    const Size3 size = volume.size;
    int blocks = 1;
    for (int axis = 0; axis < 3; ++axis)
        blocks *= size[axis] < correlationBlock ? 0 : correlationBlocks(size[axis]);
    static_assert(correlationBlocksPerAxis * correlationBlocksPerAxis * correlationBlocksPerAxis <=
                  correlationRoom);
    if (blocks > 0)
        log.launch({"neighbour correlation", 4.0 * 216 * blocks}, correlationKernel,
                   {dim3(static_cast<unsigned>(blocks)), dim3(32)}, volume, correlation);
    log.launch({"prefilter's width"}, prefilterKernel, {dim3(1), dim3(512)}, correlation, blocks,
               least, taps, state);
}

} // namespace systole::clg
