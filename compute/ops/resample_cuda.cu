#include "compute/cuda/early_launch.cuh"
#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/decimation_taps.h"
#include "compute/ops/resample_cuda.cuh"
#include "compute/ops/sample.h"

namespace systole::gpu {
namespace {

constexpr int planesPerThread = 4;

// Costs per voxel: scaling; one tap of a decimation, and its sum; sampling three components at one
// position, with and without a copy; sampling one volume.
constexpr KernelCost scaleCost{
    .fusedMultiplyAdd = 1, .integer = 14, .globalLoads = 1, .globalStores = 1};
constexpr KernelCost tapCost{.fusedMultiplyAdd = 1, .integer = 9, .globalLoads = 1};
constexpr KernelCost sumCost{.integer = 40, .globalStores = 1};
KernelCost resampleCost(bool copy) {
    return {.add = 3 + 21,
            .multiply = copy ? 9.0 : 6.0,
            .fusedMultiplyAdd = 21,
            .integer = 130,
            .globalLoads = 24,
            .globalStores = copy ? 6.0 : 3.0};
}
constexpr KernelCost warpCost{.add = 3 + 3 + 7,
                              .fusedMultiplyAdd = 7,
                              .integer = 95,
                              .globalLoads = 3 + 8,
                              .globalStores = 1};

__global__ void scaleGrayKernel(const float* __restrict__ in, float* __restrict__ out,
                                std::size_t voxels, float scale, float offset, int* notFinite) {
    waitForKernelBefore();
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    bool finite = true;
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
         i < voxels; i += step) {
        const float value = in[i];
        finite = finite && isfinite(value);
        out[i] = fmaf(scale, value, offset);
    }
    if (!finite)
        *notFinite = 1;
}

/// Rows of a plane that a block of `rows` output rows reads.
__host__ __device__ int rowsRead(const DecimationTaps& taps, int rows) {
    return (rows - 1) * taps.factor + taps.count;
}

/// Computes output voxels of a plane: the filter along x, by row to shared memory, then that along
/// y. Two planes in turn, so that one barrier a plane is enough.
/// Many parameters because both filters are constants of the launch.
__global__ void decimatePlanes(const float* __restrict__ in, float* __restrict__ out, Size3 size,
                               Size3 outSize, int allPlanes, int planes,
                               const __grid_constant__ DecimationTaps tapsX,
                               const __grid_constant__ DecimationTaps tapsY) {
    waitForKernelBefore();
    extern __shared__ float filteredRows[];
    const Column c = columnOf({outSize.x, outSize.y, allPlanes}, planes);
    const int lane = static_cast<int>(threadIdx.x), ofBlock = static_cast<int>(blockDim.y);
    const int rows = rowsRead(tapsY, ofBlock);
    const int x = c.x * tapsX.factor + tapsX.first;
    const int firstRow = static_cast<int>(blockIdx.y) * ofBlock * tapsY.factor + tapsY.first;
    for (int plane = c.begin; plane < c.end; ++plane) {
        float* const filtered = filteredRows + (plane - c.begin) % 2 * rows * tileX;
        const float* const from = in + static_cast<std::size_t>(plane) *
                                           static_cast<std::size_t>(size.x) *
                                           static_cast<std::size_t>(size.y);
        for (int j = static_cast<int>(threadIdx.y); j < rows; j += ofBlock) {
            const float* const row =
                from + static_cast<std::size_t>(min(max(firstRow + j, 0), size.y - 1)) *
                           static_cast<std::size_t>(size.x);
            float along = 0;
            for (int i = 0; i < tapsX.count; ++i)
                along = fmaf(tapsX.weight[i], row[min(max(x + i, 0), size.x - 1)], along);
            filtered[j * tileX + lane] = along;
        }
        __syncthreads();
        if (!c.inGrid)
            continue;
        const float* const own =
            filtered + static_cast<int>(threadIdx.y) * tapsY.factor * tileX + lane;
        float sum = 0;
        for (int j = 0; j < tapsY.count; ++j)
            sum = fmaf(tapsY.weight[j], own[j * tileX], sum);
        VolumeView<float>(out, outSize)(c.x, c.y, plane) = sum;
    }
}

__global__ void decimateAlongZ(const float* __restrict__ in, float* __restrict__ out, int nz,
                               Size3 outSize, int volumes, int planes,
                               const __grid_constant__ DecimationTaps taps) {
    waitForKernelBefore();
    const Column c = columnOf({outSize.x, outSize.y, outSize.z * volumes}, planes);
    if (!c.inGrid)
        return;
    const std::size_t perPlane =
        static_cast<std::size_t>(outSize.x) * static_cast<std::size_t>(outSize.y);
    const std::size_t i = static_cast<std::size_t>(c.x) +
                          static_cast<std::size_t>(outSize.x) * static_cast<std::size_t>(c.y);
    for (int plane = c.begin; plane < c.end; ++plane) {
        const int volume = plane / outSize.z, z = (plane % outSize.z) * taps.factor + taps.first;
        float sum = 0;
        for (int k = 0; k < taps.count; ++k)
            sum = fmaf(taps.weight[k],
                       in[i + perPlane * static_cast<std::size_t>(volume * nz +
                                                                  min(max(z + k, 0), nz - 1))],
                       sum);
        out[i + perPlane * static_cast<std::size_t>(plane)] = sum;
    }
}

__global__ void resampleFieldKernel(FieldView<const float> field, FieldResampling how,
                                    FieldView<float> out, FieldView<float> copy, int planes) {
    waitForKernelBefore();
    const Column c = columnOf(out.size, planes);
    if (!c.inGrid)
        return;
    const auto place = [&](int axis, int voxel) {
        const float ratio = how.ratio[static_cast<std::size_t>(axis)];
        return static_cast<float>(voxel) * ratio +
               resamplingShift(field.size[axis], ratio, out.size[axis]);
    };
    const float x = place(0, c.x), y = place(1, c.y);
    for (int z = c.begin; z < c.end; ++z) {
        const std::size_t i = out.componentView(0).offset(c.x, c.y, z);
        const TrilinearSample sample(field.size, x, y, place(2, z));
        float value[3]; // all are read before one is written
#pragma unroll
        for (int k = 0; k < 3; ++k)
            value[k] = how.gain[static_cast<std::size_t>(k)] * sample.of(field.component(k));
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            out.component(k)[i] = value[k];
            if (!copy.empty())
                copy.component(k)[i] = how.copyGain[static_cast<std::size_t>(k)] * value[k];
        }
    }
}

__global__ void warpVolumeKernel(VolumeView<const float> moving, FieldView<const float> field,
                                 VolumeView<float> out) {
    waitForKernelBefore();
    const Column c = columnOf(out.size, planesPerThread);
    if (!c.inGrid)
        return;
    for (int z = c.begin; z < c.end; ++z) {
        const std::size_t i = out.offset(c.x, c.y, z);
        out.data[i] =
            TrilinearSample(moving.size, displaced(field, i, c.x, c.y, z)).of(moving.data);
    }
}

} // namespace

void scaleGray(const float* in, float* out, std::size_t voxels, float scale, float offset,
               int* notFinite, LaunchLog& log) {
    const char* const name = "scale gray values";
    LaunchShape shape = threadsOver(voxels, log, name);
    shape.grid.x =
        std::min(shape.grid.x, 16u * static_cast<unsigned>(log.cuda().device().multiprocessors));
    const auto n = static_cast<double>(voxels);
    launchEarly(log, {name, 8 * n, 2 * n, perThread(shape, n, scaleCost)}, scaleGrayKernel, shape,
                in, out, voxels, scale, offset, notFinite);
}

void decimateStack(const VolumeStack& in, std::array<int, 3> factor, const VolumeStack& out,
                   const Scratch& scratch, LaunchLog& log) {
    const DecimationTaps alongX = decimationTaps(in.size.x, factor[0]),
                         alongY = decimationTaps(in.size.y, factor[1]),
                         alongZ = decimationTaps(in.size.z, factor[2]);
    const Size3 between{out.size.x, out.size.y, in.size.z};
    const auto volumes = static_cast<std::size_t>(in.count);
    if (scratch.floats < volumes * between.voxels())
        throw ComputeError("decimation on the device was given too little scratch");
    const int planes = in.size.z * in.count;
    const auto voxels = [&](Size3 size) { return static_cast<double>(volumes * size.voxels()); };
    const char *const inPlanes = "decimate planes", *const throughPlanes = "decimate along z";
    const Size3 betweenAll{between.x, between.y, planes},
        outAll{out.size.x, out.size.y, out.size.z * in.count};
    const int ofPlanes = planesFor(betweenAll, planesPerThread),
              ofZ = planesFor(outAll, planesPerThread);
    LaunchShape planeShape = columnsOver(betweenAll, ofPlanes, log, inPlanes);
    planeShape.sharedBytes =
        2 * sizeof(float) * tileX *
        static_cast<std::size_t>(rowsRead(alongY, static_cast<int>(planeShape.block.y)));
    const KernelCost planeCost =
        static_cast<double>(alongX.count * alongY.count) * tapCost + sumCost;
    launchEarly(log,
                {inPlanes, 4 * (voxels(in.size) + voxels(between)), 0,
                 perThread(planeShape, voxels(between), planeCost)},
                decimatePlanes, planeShape, in.data, scratch.data, in.size, between, planes,
                ofPlanes, alongX, alongY);
    const LaunchShape zShape = columnsOver(outAll, ofZ, log, throughPlanes);
    const KernelCost zCost = static_cast<double>(alongZ.count) * tapCost + sumCost;
    launchEarly(log,
                {throughPlanes, 4 * (voxels(between) + voxels(out.size)), 0,
                 perThread(zShape, voxels(out.size), zCost)},
                decimateAlongZ, zShape, scratch.data, out.data, in.size.z, out.size, in.count, ofZ,
                alongZ);
}

void resampleField(FieldView<const float> field, const FieldResampling& how, FieldView<float> out,
                   FieldView<float> copy, LaunchLog& log) {
    const auto values = 3 * static_cast<double>(out.size.voxels());
    const double coarse = 3 * static_cast<double>(std::min(field.size.voxels(), out.size.voxels()));
    const char* const name = "resample field";
    const int planes = planesFor(out.size, planesPerThread);
    const LaunchShape shape = columnsOver(out.size, planes, log, name);
    launchEarly(log,
                {name, 4 * (coarse + (copy.empty() ? 1 : 2) * values), 16 * values,
                 perThread(shape, values / 3, resampleCost(!copy.empty()))},
                resampleFieldKernel, shape, field, how, out, copy, planes);
}

void warpVolume(VolumeView<const float> moving, FieldView<const float> field, VolumeView<float> out,
                LaunchLog& log) {
    const auto voxels = static_cast<double>(out.voxels());
    const char* const name = "warp volume";
    const LaunchShape shape = columnsOver(out.size, planesPerThread, log, name);
    launchEarly(log, {name, 20 * voxels, 40 * voxels, perThread(shape, voxels, warpCost)},
                warpVolumeKernel, shape, moving, field, out);
}

} // namespace systole::gpu

namespace systole {

void warpVolumeOnDevice(VolumeView<const float> moving, FieldView<const float> field,
                        VolumeView<float> out, const ExecContext& ctx) {
    loggedCall(ctx, "warp", [&](LaunchLog& log) { gpu::warpVolume(moving, field, out, log); });
}

} // namespace systole
