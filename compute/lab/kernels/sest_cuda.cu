#include "compute/cuda/kernel_support.cuh"
#include "compute/lab/kernels/sest_cuda.cuh"
#include "compute/landmarks/descriptor_search_cuda.cuh"
#include "compute/landmarks/feature_planes.cuh"
#include "compute/landmarks/sest_cost.h"
#include "compute/landmarks/sest_math.h"

#include <algorithm>

namespace systole::lab {
using namespace sest;
namespace {

using gpu::FeaturePlanes;

/// One thread per octant of each landmark.
__global__ void describeKernel(const __grid_constant__ FeaturePlanes frame, const Voxel* landmarks,
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

// Work per thread, as launches declare it. Counted from the source; where the compiler decides, its
// machine code (CUDA 13, compute capability 9.0) counts.

constexpr double patchVoxels = 11 * 11 * 9;
/// The patch's rows, each cut in two, and planes, each cut in four.
constexpr double halfRows = 11 * 9 * 2, quarterPlanes = 9 * 4;

constexpr KernelCost halfRow{.integer = 22}, quarterPlane{.integer = 15};
/// All work except the patch's voxels and the reference.
constexpr KernelCost patchFrame =
    halfRows * halfRow + quarterPlanes * quarterPlane + octants * octantCost +
    KernelCost{.squareRoot = 1, .integer = 40, .globalLoads = 3, .globalStores = 1};

KernelCost globalReference(double) { return {.integer = 2 * numbers, .globalLoads = numbers}; }
/// Four numbers per read; a thread's share of loading them.
KernelCost sharedReference(double threads) {
    return KernelCost{.sharedAccesses = numbers / 4.0, .barriers = 1} +
           numbers / threads * KernelCost{.integer = 8, .globalLoads = 1, .sharedAccesses = 1};
}

/// Products and sums of a candidate's tensors, and the cost given by `octantCost`.
constexpr double candidateFlops =
    patchVoxels * 2 * triangle +
    octants * (octantCost.add + octantCost.multiply + 2 * octantCost.fusedMultiplyAdd + features);

struct Search {
    FeaturePlanes target;
    const Voxel* centers;
    const float* descriptors;
    float* distances;
};

template <typename Reference>
__device__ void findDistance(const Search& s, int landmark, const Reference& reference) {
    const int c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (c >= candidates)
        return;
    const Voxel p = s.centers[landmark] + candidateOffset(c);
    const auto inverseRoot = [](float square) { return rsqrtf(square); };
    s.distances[std::ptrdiff_t{landmark} * candidates + c] =
        liesIn(s.target.size, p)
            ? sqrtf(squaredDistance(s.target.size, p, s.target, reference, inverseRoot))
            : INFINITY;
}

/// The landmark's descriptor in shared memory; all threads of a block compare with it.
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

// Kernels with fewer registers: they demand room for two blocks of this many threads.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int blocksAtOnce = 1;
#else
constexpr int blocksAtOnce = 2;
#endif
__global__ void __launch_bounds__(sestFamily["shared-cap48"].blocks.last, blocksAtOnce)
    sharedCap48Kernel(const __grid_constant__ Search s) {
    findDistanceShared(s);
}
__global__ void __launch_bounds__(sestFamily["shared-cap40"].blocks.last, blocksAtOnce)
    sharedCap40Kernel(const __grid_constant__ Search s) {
    findDistanceShared(s);
}
__global__ void __launch_bounds__(sestFamily["shared-cap32"].blocks.last, blocksAtOnce)
    sharedCap32Kernel(const __grid_constant__ Search s) {
    findDistanceShared(s);
}

/// The variants' kernels, in the order of sestVariants. The one with work shared is launched by
/// gpu::searchRegions().
struct SearchKernel {
    void (*kernel)(Search);                  ///< null: searchRegions()
    const char* symbol;                      ///< symbol as in CompiledCost
    KernelCost (*reference)(double threads); ///< cost of reading the landmark's descriptor
    /// Spills and reloads in the pass of one voxel: counted in the machine code for capability 9.0,
    /// since the source can't show them.
    double spills = 0;
};
constexpr SearchKernel searchKernels[] = {
    {sharedKernel, "sest_cuda.*12sharedKernel", sharedReference},
    {globalKernel, "sest_cuda.*12globalKernel", globalReference},
    {sharedCap48Kernel, "sest_cuda.*sharedCap48Kernel", sharedReference, 2},
    {sharedCap40Kernel, "sest_cuda.*sharedCap40Kernel", sharedReference, 12},
    {sharedCap32Kernel, "sest_cuda.*sharedCap32Kernel", sharedReference, 32},
    {nullptr, "descriptor_search_cuda.*searchKernel", nullptr},
};
static_assert(std::size(searchKernels) == std::size(sestVariants));

const SearchKernel& kernelOf(int variant) { return searchKernels[variant]; }

KernelCost voxelCost(const SearchKernel& kernel) {
    return patchVoxel + KernelCost{.localAccesses = kernel.spills};
}

KernelNote distanceNote(int variant, Size3 size, int landmarks, int threads) {
    const SearchKernel& kernel = kernelOf(variant);
    const double count = landmarks;
    return {
        sestFamily.kernel(variant),
        4.0 * (features * static_cast<double>(size.voxels()) + count * (numbers + candidates + 3)),
        count * candidates * candidateFlops,
        patchVoxels * voxelCost(kernel) + patchFrame + kernel.reference(threads)};
}

} // namespace

void sestDescribe(const FeatureView& frame, const Voxel* landmarks, int count, float* descriptors,
                  LaunchLog& log) {
    if (count == 0)
        return;
    const double bytes = 4.0 * count * (features * patchVoxels + numbers);
    log.launch({"sest describe", bytes, count * candidateFlops}, describeKernel,
               gpu::threadsOver(static_cast<std::size_t>(count) * octants, 128),
               FeaturePlanes(frame), landmarks, count, descriptors);
}

void sestDistances(int variant, const FeatureView& target, const Voxel* centers, int count,
                   const float* descriptors, float* distances, LaunchLog& log) {
    if (!kernelOf(variant).kernel) {
        gpu::searchRegions(
            {target, {}, centers, count, descriptors, gpu::Measure::Distance, distances}, log);
        return;
    }
    constexpr int maxRows = 65535;
    const int threads = gpu::threadsOfBlock(log, sestFamily, variant);
    for (int first = 0; first < count; first += maxRows) {
        const int rows = std::min(maxRows, count - first);
        const LaunchShape shape{dim3(static_cast<unsigned>(gpu::divideUp(candidates, threads)),
                                     static_cast<unsigned>(rows)),
                                dim3(static_cast<unsigned>(threads))};
        log.launch(distanceNote(variant, target.size, rows, threads), kernelOf(variant).kernel,
                   shape,
                   Search{FeaturePlanes(target), centers + first,
                          descriptors + std::ptrdiff_t{first} * numbers,
                          distances + std::ptrdiff_t{first} * candidates});
    }
}

std::vector<CompiledCost> compiledSestCosts() {
    std::vector<CompiledCost> all;
    for (int variant = 0; variant < sestFamily.count(); ++variant) {
        const SearchKernel& kernel = kernelOf(variant);
        all.push_back({sestFamily.kernel(variant) + " voxel", kernel.symbol, "innermost", "FFMA",
                       voxelCost(kernel)});
    }
    return all;
}

void describeOnDevice(const FeatureView& frame, const Voxel* landmarks, int count,
                      float* descriptors, const ExecContext& ctx) {
    loggedCall(ctx, "gradient",
               [&](LaunchLog& log) { sestDescribe(frame, landmarks, count, descriptors, log); });
}

void findDistancesOnDevice(int variant, const FeatureView& target, const Voxel* centers, int count,
                           const float* descriptors, float* distances, const ExecContext& ctx) {
    loggedCall(ctx, "solve", [&](LaunchLog& log) {
        sestDistances(variant, target, centers, count, descriptors, distances, log);
    });
}

} // namespace systole::lab
