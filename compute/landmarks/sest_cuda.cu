#include "compute/cuda/kernel_support.cuh"
#include "compute/landmarks/sest_costs.h"
#include "compute/landmarks/sest_cuda.cuh"
#include "compute/landmarks/sest_math.h"

#include <algorithm>

namespace systole {
namespace {

using namespace sest;

/// The planes of a frame, one pointer each: as part of a kernel's parameters they cost no
/// registers.
struct Planes {
    const float* of[features];
    Size3 size;

    explicit Planes(const FeatureView& frame) : size(frame.size) {
        for (int f = 0; f < features; ++f)
            of[f] = frame.data + static_cast<std::size_t>(f) * size.voxels();
    }
    constexpr float operator()(int f, unsigned voxel) const { return of[f][voxel]; }
};

__global__ void featureKernel(VolumeView<const float> frame, float* planes) {
    const gpu::Column c = gpu::columnOf(frame.size, 1);
    if (!c.inGrid)
        return;
    float v[features];
    featuresAt(frame, {c.x, c.y, c.begin}, v);
#pragma unroll
    for (int f = 0; f < features; ++f)
        planes[static_cast<std::size_t>(f) * frame.voxels() + frame.offset(c.x, c.y, c.begin)] =
            v[f];
}

/// A thread for each octant of each landmark.
__global__ void describeKernel(const __grid_constant__ Planes frame, const Voxel* landmarks,
                               int count, float* descriptors) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count * octants)
        return;
    float tensor[triangle];
    octantTensor(frame.size, landmarks[i / octants], i % octants, frame, tensor);
    decompose([](float square) { return rsqrtf(square); }, tensor);
#pragma unroll
    for (int k = 0; k < triangle; ++k)
        descriptors[std::ptrdiff_t{i} * triangle + k] = tensor[k];
}

struct Search {
    Planes target;
    const Voxel* centres;
    const float* descriptors;
    float* distances;
};

template <typename Reference>
__device__ void findDistance(const Search& s, int landmark, const Reference& reference) {
    const int c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (c >= candidates)
        return;
    const Voxel p = s.centres[landmark] + candidateOffset(c);
    const auto inverseRoot = [](float square) { return rsqrtf(square); };
    s.distances[std::ptrdiff_t{landmark} * candidates + c] =
        liesIn(s.target.size, p)
            ? sqrtf(squaredDistance(s.target.size, p, s.target, reference, inverseRoot))
            : INFINITY;
}

/// The landmark's descriptor, which all threads of a block compare with, in shared memory.
__device__ void findDistanceShared(const Search& s) {
    __shared__ float reference[numbers];
    const int landmark = static_cast<int>(blockIdx.y);
    for (int n = static_cast<int>(threadIdx.x); n < numbers; n += static_cast<int>(blockDim.x))
        reference[n] = s.descriptors[std::ptrdiff_t{landmark} * numbers + n];
    __syncthreads();
    findDistance(s, landmark, [&](int n) { return reference[n]; });
}

__global__ void __launch_bounds__(1024) sharedKernel(const __grid_constant__ Search s) {
    findDistanceShared(s);
}

__global__ void __launch_bounds__(1024) globalKernel(const __grid_constant__ Search s) {
    const int landmark = static_cast<int>(blockIdx.y);
    const float* const reference = s.descriptors + std::ptrdiff_t{landmark} * numbers;
    findDistance(s, landmark, [=](int n) { return __ldg(reference + n); });
}

// The same with fewer registers: room for two blocks of so many threads is demanded.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int blocksAtOnce = 1;
#else
constexpr int blocksAtOnce = 2;
#endif
__global__ void __launch_bounds__(mostThreads(DistanceVariant::SharedCap48), blocksAtOnce)
    sharedCap48Kernel(const __grid_constant__ Search s) {
    findDistanceShared(s);
}
__global__ void __launch_bounds__(mostThreads(DistanceVariant::SharedCap40), blocksAtOnce)
    sharedCap40Kernel(const __grid_constant__ Search s) {
    findDistanceShared(s);
}
__global__ void __launch_bounds__(mostThreads(DistanceVariant::SharedCap32), blocksAtOnce)
    sharedCap32Kernel(const __grid_constant__ Search s) {
    findDistanceShared(s);
}

using DistanceKernel = void (*)(Search);
DistanceKernel kernelOf(DistanceVariant variant) {
    switch (variant) {
    case DistanceVariant::Global:
        return globalKernel;
    case DistanceVariant::SharedCap48:
        return sharedCap48Kernel;
    case DistanceVariant::SharedCap40:
        return sharedCap40Kernel;
    case DistanceVariant::SharedCap32:
        return sharedCap32Kernel;
    case DistanceVariant::Shared:
        break;
    }
    return sharedKernel;
}

KernelNote distanceNote(DistanceVariant variant, Size3 size, int landmarks, int threads) {
    const double count = landmarks;
    return {
        distanceKernels[static_cast<int>(variant)],
        4.0 * (features * static_cast<double>(size.voxels()) + count * (numbers + candidates + 3)),
        count * candidates * cost::candidateFlops, cost::distance(variant, threads)};
}

} // namespace

void gpu::sestFeatures(VolumeView<const float> frame, float* planes, LaunchLog& log) {
    const auto voxels = static_cast<double>(frame.voxels());
    log.launch({"sest features", 4 * (1 + features) * voxels, 28 * voxels}, featureKernel,
               columnsOver(frame.size, 1), frame, planes);
}

void gpu::sestDescribe(const FeatureView& frame, const Voxel* landmarks, int count,
                       float* descriptors, LaunchLog& log) {
    if (count == 0)
        return;
    const double bytes = 4.0 * count * (features * cost::patchVoxels + numbers);
    log.launch({"sest describe", bytes, count * cost::candidateFlops}, describeKernel,
               threadsOver(static_cast<std::size_t>(count) * octants, 128), Planes(frame),
               landmarks, count, descriptors);
}

void gpu::sestDistances(DistanceVariant variant, const FeatureView& target, const Voxel* centres,
                        int count, const float* descriptors, float* distances, LaunchLog& log) {
    constexpr int mostRows = 65535;
    const char* const kernel = distanceKernels[static_cast<int>(variant)];
    const int threads = threadsOfBlock(log, kernel, 128, sest::mostThreads(variant));
    for (int first = 0; first < count; first += mostRows) {
        const int rows = std::min(mostRows, count - first);
        const LaunchShape shape{
            dim3(static_cast<unsigned>(divideUp(candidates, threads)), static_cast<unsigned>(rows)),
            dim3(static_cast<unsigned>(threads))};
        log.launch(distanceNote(variant, target.size, rows, threads), kernelOf(variant), shape,
                   Search{Planes(target), centres + first,
                          descriptors + std::ptrdiff_t{first} * numbers,
                          distances + std::ptrdiff_t{first} * candidates});
    }
}

namespace sest {

void findFeaturesOnDevice(VolumeView<const float> frame, float* planes, const ExecContext& ctx) {
    loggedCall(ctx, "gradient", [&](LaunchLog& log) { gpu::sestFeatures(frame, planes, log); });
}

void describeOnDevice(const FeatureView& frame, const Voxel* landmarks, int count,
                      float* descriptors, const ExecContext& ctx) {
    loggedCall(ctx, "gradient", [&](LaunchLog& log) {
        gpu::sestDescribe(frame, landmarks, count, descriptors, log);
    });
}

void findDistancesOnDevice(DistanceVariant variant, const FeatureView& target, const Voxel* centres,
                           int count, const float* descriptors, float* distances,
                           const ExecContext& ctx) {
    loggedCall(ctx, "solve", [&](LaunchLog& log) {
        gpu::sestDistances(variant, target, centres, count, descriptors, distances, log);
    });
}

} // namespace sest
} // namespace systole
