#include "compute/cuda/kernel_support.cuh"
#include "compute/lab/kernels/similarity_gradient_cuda.cuh"
#include "compute/lab/kernels/similarity_gradient_math.h"
#include "compute/ops/sample_texture.cuh"

namespace systole::lab {
using namespace gpu;
namespace {

struct Voxel {
    int x, y, z;
    std::size_t offset;
};

__device__ inline const float* arrayOf(const NmiSlope& s, NmiArray array) {
    switch (array) {
    case NmiArray::Fixed:
        return s.images.fixed.data;
    case NmiArray::Warped:
        return s.images.warped.data;
    case NmiArray::Weight:
        return s.images.weight.data;
    case NmiArray::GradientX:
        return s.gradient.u;
    case NmiArray::GradientY:
        return s.gradient.v;
    case NmiArray::GradientZ:
        return s.gradient.w;
    case NmiArray::Table:
        break;
    }
    return s.table;
}

struct Loads {
    template <NmiArray Array>
    static __device__ float at(const NmiSource& s, const Voxel& v) {
        return arrayOf(s.slope, Array)[v.offset];
    }
    static __device__ float entry(const NmiSource& s, int i) { return s.slope.table[i]; }
};

struct ReadOnlyLoads {
    template <NmiArray Array>
    static __device__ float at(const NmiSource& s, const Voxel& v) {
        return __ldg(arrayOf(s.slope, Array) + v.offset);
    }
    static __device__ float entry(const NmiSource& s, int i) { return __ldg(s.slope.table + i); }
};

struct LinearFetches {
    template <NmiArray Array>
    static __device__ float at(const NmiSource& s, const Voxel& v) {
        return tex1Dfetch<float>(s.textures[static_cast<int>(Array)], static_cast<int>(v.offset));
    }
    static __device__ float entry(const NmiSource& s, int i) {
        return tex1Dfetch<float>(s.textures[static_cast<int>(NmiArray::Table)], i);
    }
};

struct PointFetches : Loads {
    template <NmiArray Array>
    static __device__ float at(const NmiSource& s, const Voxel& v) {
        if constexpr (Array == NmiArray::Fixed || Array == NmiArray::Warped)
            return textureAt(s.textures[static_cast<int>(Array)], static_cast<float>(v.x),
                             static_cast<float>(v.y), static_cast<float>(v.z));
        else
            return Loads::at<Array>(s, v);
    }
};

/// `entry(index)` reads the table.
template <typename Reads, typename Entry>
__device__ inline void writeSlope(const NmiSource& s, const Voxel& v, const Entry& entry,
                                  const FieldView<float>& out) {
    const NmiSlope& slope = s.slope;
    const TablePlace place(slope.fixedBins, slope.warpedBins,
                           Reads::template at<NmiArray::Fixed>(s, v),
                           Reads::template at<NmiArray::Warped>(s, v));
    const float by =
        nmiSlopeAt(place, slope.warpedBins, Reads::template at<NmiArray::Weight>(s, v), entry);
    out.u[v.offset] = by * Reads::template at<NmiArray::GradientX>(s, v);
    out.v[v.offset] = by * Reads::template at<NmiArray::GradientY>(s, v);
    out.w[v.offset] = by * Reads::template at<NmiArray::GradientZ>(s, v);
}

/// A thread per voxel.
template <typename Reads>
__global__ void __launch_bounds__(1024)
    nmiSlopeKernel(const __grid_constant__ NmiSource s, FieldView<float> out, int) {
    const Column c = columnOf(out.size, 1);
    if (!c.inGrid)
        return;
    const Voxel v{c.x, c.y, c.begin, out.componentView(0).offset(c.x, c.y, c.begin)};
    writeSlope<Reads>(
        s, v, [&](int i) { return Reads::entry(s, i); }, out);
}

/// A thread per column of `planes` voxels, which earns the copy of the table.
__global__ void __launch_bounds__(1024)
    nmiSharedKernel(const __grid_constant__ NmiSource s, FieldView<float> out, int planes) {
    __shared__ float table[nmiBins * nmiBins];
    const int thread = static_cast<int>(threadIdx.x + tileX * threadIdx.y);
    for (int i = thread; i < nmiBins * nmiBins; i += static_cast<int>(blockDim.x * blockDim.y))
        table[i] = s.slope.table[i];
    __syncthreads();
    const Column c = columnOf(out.size, planes);
    if (!c.inGrid)
        return;
    for (int z = c.begin; z < c.end; ++z) {
        const Voxel v{c.x, c.y, z, out.componentView(0).offset(c.x, c.y, z)};
        writeSlope<Loads>(
            s, v, [&](int i) { return table[i]; }, out);
    }
}

/// Planes that a thread of the shared variant marches through at most.
constexpr int planesOfThread = 16;

// Counted from the source; where the compiler decides, its machine code (CUDA 13, compute
// capability 9.0) counts.

/// Two positions in bins and their bounds, the derivatives of four weights, the sum and the result.
constexpr KernelCost slopeCost{
    .add = 3, .multiply = 15, .fusedMultiplyAdd = 8, .integer = 40, .globalStores = 3};
constexpr KernelCost loadsCost = slopeCost + KernelCost{.integer = 20, .globalLoads = 6 + 4};

/// Gray values decide where the lanes of a warp read: the ways are counted for the laboratory's
/// images.
constexpr KernelCost sharedTableCost{.sharedAccesses = 4, .bankConflicts = 4.2};

struct SlopeKernel {
    void (*kernel)(NmiSource, FieldView<float>, int planes);
    KernelCost cost;    ///< a voxel
    const char* symbol; ///< see CompiledCost
    TextureUse texture = TextureUse::None;
    bool shared = false;
};
constexpr SlopeKernel slopeKernels[] = {
    {nmiSlopeKernel<Loads>, loadsCost, "nmiSlopeKernel.*5Loads"},
    {nmiSlopeKernel<LinearFetches>, slopeCost + KernelCost{.integer = 10, .textureFetches = 6 + 4},
     "nmiSlopeKernel.*LinearFetches", TextureUse::Linear},
    {nmiSlopeKernel<PointFetches>,
     slopeCost + KernelCost{.add = 3, .integer = 20, .globalLoads = 4 + 4, .textureFetches = 2},
     "nmiSlopeKernel.*PointFetches", TextureUse::Points},
    {nmiSlopeKernel<ReadOnlyLoads>, loadsCost, "nmiSlopeKernel.*ReadOnlyLoads"},
    {nmiSharedKernel, slopeCost + sharedTableCost + KernelCost{.integer = 16, .globalLoads = 6},
     "nmiSharedKernel", TextureUse::None, true},
};
static_assert(std::size(slopeKernels) == std::size(similarityGradientVariants));

constexpr int tableEntries = nmiBins * nmiBins;

/// A thread's one-time work: loading its part of the table.
KernelCost tableCost(int threads) {
    return (static_cast<double>(tableEntries) / threads) *
               KernelCost{.integer = 4, .globalLoads = 1, .sharedAccesses = 1} +
           KernelCost{.barriers = 1};
}

} // namespace

NmiTextures::NmiTextures(int variant, const NmiSlope& slope, LaunchLog& log) : source_{slope} {
    const TextureUse use = slopeKernels[variant].texture;
    const Size3 size = slope.gradient.size;
    const float* const arrays[nmiArrays] = {slope.images.fixed.data,
                                            slope.images.warped.data,
                                            slope.images.weight.data,
                                            slope.gradient.u,
                                            slope.gradient.v,
                                            slope.gradient.w,
                                            slope.table};
    // Volumes of their own are made of the two images alone.
    const int read = use == TextureUse::Linear ? nmiArrays : use == TextureUse::Points ? 2 : 0;
    for (int i = 0; i < read; ++i) {
        const bool isTable = i == static_cast<int>(NmiArray::Table);
        textures_.emplace_back(use, isTable ? Size3{tableEntries, 1, 1} : size, arrays[i], log);
        source_.textures[i] = textures_.back().object();
    }
}

void similarityGradient(int variant, const NmiSource& source, FieldView<float> out,
                        LaunchLog& log) {
    const SlopeKernel& kernel = slopeKernels[variant];
    const auto voxels = static_cast<double>(out.size.voxels());
    const int rows = rowsOfBlock(log, similarityGradientFamily, variant);
    const int planes = kernel.shared ? planesFor(out.size, planesOfThread) : 1;
    const LaunchShape shape = columnsOver(out.size, planes, rows);
    constexpr double flopsOfVoxel = 34;
    log.launch({similarityGradientFamily.kernel(variant), 4 * (9 * voxels + tableEntries),
                flopsOfVoxel * voxels,
                perThread(shape, voxels, kernel.cost,
                          kernel.shared ? tableCost(tileX * rows) : KernelCost{})},
               kernel.kernel, shape, source, out, planes);
}

std::vector<CompiledCost> compiledSimilarityGradientCosts() {
    std::vector<CompiledCost> all;
    for (int variant = 0; variant < similarityGradientFamily.count(); ++variant) {
        const SlopeKernel& kernel = slopeKernels[variant];
        all.push_back({similarityGradientFamily.kernel(variant), kernel.symbol,
                       kernel.shared ? "loop" : "all", "STG", kernel.cost});
    }
    return all;
}

} // namespace systole::lab
