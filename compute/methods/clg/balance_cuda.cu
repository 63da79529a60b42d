// Finding the balance on the device: the counterpart of balance.cpp.
#include "compute/cuda/early_launch.cuh"
#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/ops/sample.h"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::DeviceTaps;
using gpu::GridSum;

constexpr int planesPerThread = 4;
constexpr int prefilterThreads = 1024;

/// Sums the squared differences from the fixed frame over the voxels inside: of the moving frame
/// displaced by the field, and as it is.
template <bool Masked>
__global__ void startKernel(VolumeView<const float> fixed, VolumeView<const float> moving,
                            StillRegion still, FrameMasks masks, FieldView<const float> field,
                            int* helps, GridSum room) {
    gpu::waitForKernelBefore();
    const Size3 size = fixed.size;
    const std::uint8_t* const counts = still.found();
    const Column c = gpu::columnOf(size, planesPerThread);
    double2 sum{0, 0};
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t i = fixed.offset(c.x, c.y, z);
        const float x = static_cast<float>(c.x) + field.u[i],
                    y = static_cast<float>(c.y) + field.v[i],
                    w = static_cast<float>(z) + field.w[i];
        float inside = counts && !counts[i] ? 0 : insideWeight(x, y, w, size);
        if constexpr (Masked)
            inside *= masks.weight(i, {x, y, w}, size);
        const float here = fixed.data[i];
        const float displaced = TrilinearSample(size, x, y, w).of(moving.data) - here;
        const float atRest = moving.data[i] - here;
        sum.x += static_cast<double>(inside * displaced * displaced);
        sum.y += static_cast<double>(inside * atRest * atRest);
    }
    double2 total;
    if (gpu::gridSum(sum, room, total))
        *helps = total.x < total.y ? 1 : 0;
}

__global__ void dropStartKernel(FieldView<float> field, FieldView<float> total, const int* helps) {
    gpu::waitForKernelBefore();
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (*helps || i >= field.size.voxels())
        return;
    for (int k = 0; k < 3; ++k) {
        field.component(k)[i] = 0;
        total.component(k)[i] = 0;
    }
}

__global__ void beginLevelKernel(DeviceState* state, LevelStart start) {
    gpu::waitForKernelBefore();
    DeviceState fresh{};
    fresh.epsilon = start.epsilon;
    for (int axis = 0; axis < 3; ++axis)
        fresh.smoothness[axis] = start.smoothness[axis];
    fresh.prefilterSigma = state->prefilterSigma;
    fresh.brightness = start.coarser ? start.coarser->brightness : 0;
    *state = fresh;
}

/// lengthPerLength of each component along each axis.
struct LengthFactors {
    float of[3][3];
};

/// Computes fieldRoughness and the weights that follow from it.
__global__ void roughnessKernel(FieldView<const float> field, LevelStart start,
                                LengthFactors factors, double samples, bool first,
                                DeviceState* state, GridSum room) {
    gpu::waitForKernelBefore();
    const Size3 size = field.size;
    const Column c =
        gpu::columnOf({size.x, (size.y + rowStep - 1) / rowStep, size.z}, planesPerThread);
    const int y = c.y * rowStep;
    // Few values per thread: single precision is exact enough for their sum.
    float sum = 0;
#pragma unroll
    for (int plane = 0; plane < planesPerThread; ++plane) {
        const int z = c.begin + plane;
        if (!c.inGrid || z >= c.end)
            continue;
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const VolumeView<const float> v = field.componentView(k);
            const float here = v(c.x, y, z);
            const float dx = factors.of[k][0] * (v(min(c.x + 1, size.x - 1), y, z) - here);
            const float dy = factors.of[k][1] * (v(c.x, min(y + 1, size.y - 1), z) - here);
            const float dz = factors.of[k][2] * (v(c.x, y, min(z + 1, size.z - 1)) - here);
            sum += dx * dx + dy * dy + dz * dz;
        }
    }
    double2 total;
    if (gpu::gridSum({static_cast<double>(sum), 0}, room, total)) {
        const double now = smoothnessGain(sqrt(total.x / samples));
        if (first)
            state->gainAtStart = static_cast<float>(now);
        const double gain = warpGain(static_cast<double>(state->gainAtStart), now, state->noise);
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

/// The axes along which neighbors are correlated (countsAsFine), and their number.
struct FineAxes {
    bool fine[3];
    int count;
};

/// One warp per sample block: its lag-one correlation; infinite where it is constant.
__global__ void correlationKernel(VolumeView<const float> v, FineAxes axes, float* correlation) {
    gpu::waitForKernelBefore();
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
        if (axes.fine[0] && i % n + 1 < n)
            covariance += here * (at(i, 1, 0, 0) - mean);
        if (axes.fine[1] && i / n % n + 1 < n)
            covariance += here * (at(i, 0, 1, 0) - mean);
        if (axes.fine[2] && i / n / n + 1 < n)
            covariance += here * (at(i, 0, 0, 1) - mean);
    }
    variance = warpSum(variance);
    covariance = warpSum(covariance);
    if (lane == 0)
        correlation[index] =
            variance > minVariance
                ? static_cast<float>(covariance / (axes.count * correlationPairs * variance))
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

__global__ void prefilterKernel(const float* correlation, int count, float3 scale, double minimum,
                                DeviceTaps* taps, DeviceState* state) {
    gpu::waitForKernelBefore();
    const double automatic =
        prefilterSigma(static_cast<double>(count > 0 ? medianOf(correlation, count) : 1.0f));
    const double smallestSpacings = automatic > minimum ? automatic : minimum;
    __shared__ double weight[2 * DeviceTaps::widest + 1];
    const int k = static_cast<int>(threadIdx.x);
    const float scales[3] = {scale.x, scale.y, scale.z};
    for (int axis = 0; axis < 3; ++axis) {
        const double sigma = smallestSpacings * static_cast<double>(scales[axis]);
        const int radius = sigma > 0 ? static_cast<int>(ceil(3 * sigma)) : 0;
        __syncthreads(); // the previous axis' weights have been read
        if (k <= 2 * radius)
            weight[k] = sigma > 0 ? exp(-0.5 * (k - radius) * (k - radius) / (sigma * sigma)) : 1.0;
        __syncthreads();
        if (k <= 2 * radius) {
            double sum = 0;
            for (int i = 0; i <= 2 * radius; ++i)
                sum += weight[i];
            taps[axis].weight[k] = static_cast<float>(weight[k] / sum);
        }
        if (k == 0) {
            taps[axis].radius = radius;
            taps[axis].sigma = static_cast<float>(sigma);
        }
    }
    if (k == 0)
        state->prefilterSigma = static_cast<float>(smallestSpacings);
}

} // namespace

void checkStart(const StartCheck& s, const GridSum& sum, LaunchLog& log) {
    const auto voxels = static_cast<double>(s.fixed.voxels());
    const char* const name = "check start";
    const LaunchShape shape = gpu::columnsOver(s.fixed.size, planesPerThread, log, name);
    gpu::launchEarly(log, {name, 20 * voxels},
                     s.masks.empty() ? startKernel<false> : startKernel<true>, shape, s.fixed,
                     s.moving, s.still, s.masks, s.field, s.helps, sum);
    gpu::launchEarly(log, {"drop start"}, dropStartKernel, gpu::threadsOver(s.fixed.voxels()),
                     s.field, s.total, s.helps);
}

void beginLevel(DeviceState* state, const LevelStart& start, LaunchLog& log) {
    gpu::launchEarly(log, {"begin level"}, beginLevelKernel, {dim3(1), dim3(1)}, state, start);
}

void findSmoothness(FieldView<const float> field, const LevelStart& start, bool first,
                    DeviceState* state, const GridSum& sum, LaunchLog& log) {
    const Size3 size = field.size;
    const int rows = gpu::divideUp(size.y, rowStep);
    const double samples = static_cast<double>(size.x) * rows * size.z;
    const char* const name = "field roughness";
    // Work per sampled voxel: three components and their neighbors ahead, differences squared.
    constexpr KernelCost voxel{
        .add = 9 + 3, .multiply = 12, .fusedMultiplyAdd = 6, .integer = 60, .globalLoads = 12};
    LengthFactors factors;
    for (int k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis)
            factors.of[k][axis] = lengthPerLength(start.scale[k], start.scale[axis]);
    const LaunchShape shape = gpu::columnsOver({size.x, rows, size.z}, planesPerThread, log, name);
    gpu::launchEarly(log,
                     {name, 12 * static_cast<double>(size.voxels()), 27 * samples,
                      gpu::perThread(shape, samples, voxel)},
                     roughnessKernel, shape, field, start, factors, samples, first, state, sum);
}

std::size_t roughnessBlocks(Size3 size) {
    // Blocks of one row are the smallest.
    return gpu::blocksOf(gpu::columnsOver(size, planesPerThread, 1));
}

void findPrefilter(VolumeView<const float> volume, std::array<float, 3> scale, double minimum,
                   float* correlation, DeviceTaps* taps, DeviceState* state, LaunchLog& log) {
    const Size3 size = volume.size;
    int blocks = 1;
    FineAxes axes{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        axes.fine[axis] = countsAsFine(scale[axis]);
        axes.count += axes.fine[axis] ? 1 : 0;
    }
    for (int axis = 0; axis < 3; ++axis)
        blocks *= size[axis] < correlationBlock ? 0 : correlationBlocks(size[axis]);
    static_assert(correlationBlocksPerAxis * correlationBlocksPerAxis * correlationBlocksPerAxis <=
                  correlationRoom);
    if (blocks > 0)
        gpu::launchEarly(log, {"neighbor correlation", 4.0 * 216 * blocks}, correlationKernel,
                         {dim3(static_cast<unsigned>(blocks)), dim3(32)}, volume, axes,
                         correlation);
    gpu::launchEarly(log, {"prefilter's width"}, prefilterKernel, {dim3(1), dim3(prefilterThreads)},
                     correlation, blocks, make_float3(scale[0], scale[1], scale[2]), minimum, taps,
                     state);
}

} // namespace systole::clg
