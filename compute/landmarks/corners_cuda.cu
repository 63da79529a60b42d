#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/scratch.cuh"
#include "compute/landmarks/corners_cuda.h"
#include "compute/landmarks/corners_math.h"
#include "compute/ops/smooth_cuda.cuh"

#include <algorithm>
#include <cmath>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

namespace systole::gpu {
namespace {

__device__ Voxel voxelAt(long long i, Size3 size) {
    const long long plane = static_cast<long long>(size.x) * size.y;
    const int z = static_cast<int>(i / plane), inPlane = static_cast<int>(i % plane);
    return {inPlane % size.x, inPlane / size.x, z};
}

/// A thread per voxel, as in all kernels here.
__global__ void tensorKernel(const VolumeView<const float> frame, Vec3 halfInverse,
                             float* tensors) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    const auto voxels = static_cast<long long>(frame.size.voxels());
    if (i >= voxels)
        return;
    double tensor[tensorNumbers] = {};
    addGradientTensor(frame, voxelAt(i, frame.size), halfInverse, 1, tensor);
    for (int c = 0; c < tensorNumbers; ++c)
        tensors[c * voxels + i] = static_cast<float>(tensor[c]);
}

__global__ void responseKernel(const float* tensors, Size3 size, float* response) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    const auto voxels = static_cast<long long>(size.voxels());
    if (i >= voxels)
        return;
    double tensor[tensorNumbers];
    for (int c = 0; c < tensorNumbers; ++c)
        tensor[c] = double{tensors[c * voxels + i]};
    response[i] = static_cast<float>(cornerStrength(tensor, size));
}

struct Region {
    Size3 margin;
    const float* mask; ///< null: everywhere
    const float* strongest;
    double least; ///< fraction of the strongest

    __device__ bool holds(long long i, Voxel p, Size3 size, float value) const {
        return p.x >= margin.x && p.x < size.x - margin.x && p.y >= margin.y &&
               p.y < size.y - margin.y && p.z >= margin.z && p.z < size.z - margin.z && value > 0 &&
               value >= static_cast<float>(least * double{*strongest}) && isfinite(value) &&
               (!mask || mask[i] > 0.5f);
    }
};

/// Greater than every neighbor before it in memory, and not less than any after it.
__global__ void maximaKernel(const VolumeView<const float> response, const Region region,
                             unsigned char* isMaximum) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    const Size3 size = response.size;
    if (i >= static_cast<long long>(size.voxels()))
        return;
    const Voxel p = voxelAt(i, size);
    const float value = response.data[i];
    bool greatest = region.holds(i, p, size, value);
    for (int z = max(p.z - 1, 0); greatest && z <= min(p.z + 1, size.z - 1); ++z)
        for (int y = max(p.y - 1, 0); y <= min(p.y + 1, size.y - 1); ++y)
            for (int x = max(p.x - 1, 0); x <= min(p.x + 1, size.x - 1); ++x) {
                const auto other = static_cast<long long>(response.offset(x, y, z));
                greatest = greatest && (other < i ? value > response.data[other]
                                                  : value >= response.data[other]);
            }
    isMaximum[i] = greatest ? 1 : 0;
}

__global__ void gatherKernel(const float* response, const int* index, const int* count,
                             float* values) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < *count)
        values[i] = response[index[i]];
}

struct Stronger {
    __device__ float operator()(float a, float b) const { return b > a ? b : a; }
};

void smooth(const VolumeStack& volumes, Vec3 sigma, const Scratch& scratch, LaunchLog& log) {
    smoothStack(smoothFamily.standardVariant(), volumes, gaussianTapsFor(sigma), scratch, log);
}

bool isZero(Vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

} // namespace

bool smoothsCorners(Vec3 sigma) {
    return gaussianRadius(sigma.x) <= Taps::widest && gaussianRadius(sigma.y) <= Taps::widest &&
           gaussianRadius(sigma.z) <= Taps::widest;
}

std::vector<Corner> findLocalMaxima(VolumeView<const float> frame, VolumeView<const float> mask,
                                    const CornerFilters& filters, double minResponse, int margin,
                                    const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    const Size3 size = frame.size;
    const std::size_t voxels = frame.voxels();
    const int count = static_cast<int>(voxels);
    constexpr std::size_t scratchVolumes = 2;
    Buffer<float> gray = pool.acquire<float>(voxels, "corners, frame"),
                  tensors = pool.acquire<float>(tensorNumbers * voxels, "corners, tensors"),
                  scratch = pool.acquire<float>(scratchVolumes * voxels, "corners, smoothing"),
                  inside = pool.acquire<float>(mask.empty() ? 0 : voxels, "corners, mask"),
                  strongest = pool.acquire<float>(1, "corners, strongest");
    Buffer<unsigned char> flags = pool.acquire<unsigned char>(voxels, "corners, maxima");
    // No two neighbors are maxima.
    const std::size_t most = (voxels + 1) / 2;
    Buffer<int> index = pool.acquire<int>(most, "corners, voxels"),
                found = pool.acquire<int>(1, "corners, number");
    cuda.upload(frame.data, gray.data(), voxels * sizeof(float), CudaStream::Compute);
    if (!mask.empty())
        cuda.upload(mask.data, inside.data(), voxels * sizeof(float), CudaStream::Compute);
    // The frame's memory isn't needed once the products are made.
    float* const response = gray.data();
    const auto marginOf = [margin](int n) { return std::min(margin, (n - 1) / 2); };
    loggedCall(ctx, "corners", [&](LaunchLog& log) {
        const Scratch room{scratch.data(), scratch.size()};
        const auto n = static_cast<double>(voxels);
        if (!isZero(filters.gradientSigma))
            smooth({gray.data(), 1, size}, filters.gradientSigma, room, log);
        log.launch({"corners, gradient products", 28 * n}, tensorKernel, threadsOver(voxels),
                   VolumeView<const float>(gray.data(), size), filters.halfInverse, tensors.data());
        smooth({tensors.data(), tensorNumbers, size}, filters.tensorSigma, room, log);
        log.launch({"corners, response", 28 * n}, responseKernel, threadsOver(voxels),
                   tensors.data(), size, response);
        withScratch({"corners, strongest", 4 * n}, log, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceReduce::Reduce(memory, bytes, response, strongest.data(), count,
                                             Stronger{}, 0.0f, log.stream());
        });
        const Region region{{marginOf(size.x), marginOf(size.y), marginOf(size.z)},
                            mask.empty() ? nullptr : inside.data(),
                            strongest.data(),
                            minResponse};
        log.launch({"corners, maxima", 5 * n}, maximaKernel, threadsOver(voxels),
                   VolumeView<const float>(response, size), region, flags.data());
        withScratch({"corners, list", n}, log, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<int>(0),
                                              flags.data(), index.data(), found.data(), count,
                                              log.stream());
        });
        log.launch({"corners, values", 0}, gatherKernel, threadsOver(most), response, index.data(),
                   found.data(), tensors.data());
    });
    int maxima = 0;
    cuda.download(found.data(), &maxima, sizeof maxima, CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    std::vector<int> at(static_cast<std::size_t>(maxima));
    std::vector<float> values(at.size());
    if (maxima > 0) {
        cuda.download(index.data(), at.data(), at.size() * sizeof(int), CudaStream::Compute);
        cuda.download(tensors.data(), values.data(), at.size() * sizeof(float),
                      CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }
    std::vector<Corner> corners(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        const int inPlane = at[i] % (size.x * size.y);
        corners[i] = {{inPlane % size.x, inPlane / size.x, at[i] / (size.x * size.y)}, values[i]};
    }
    return corners;
}

} // namespace systole::gpu
