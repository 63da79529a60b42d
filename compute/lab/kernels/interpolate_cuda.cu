#include "compute/cuda/kernel_support.cuh"
#include "compute/lab/kernels/interpolate_cuda.cuh"
#include "compute/ops/sample_texture.cuh"

namespace systole::lab {
namespace {

struct Sampled {
    VolumeView<const float> volume;
    cudaTextureObject_t texture;
};

// The ways to read a value, each with a thread's cost in addition to frameCost: counted in the
// source, or in the compiled code (CUDA 13, compute capability 9.0) where the compiler decides.

/// Cost of reading the position and storing the result.
constexpr KernelCost frameCost{.integer = 12, .globalLoads = 3, .globalStores = 1};
/// Cost per axis: two comparisons with selections, three conversions, the integer part and its
/// bound, the upper neighbor; the fraction is a difference.
constexpr KernelCost axisCost{.add = 1, .integer = 14};
/// Cost of seven interpolations between two values.
constexpr KernelCost mixesCost = 7 * KernelCost{.add = 1, .fusedMultiplyAdd = 1};

template <bool BypassL1>
struct Loads {
    static __device__ float valueAt(const Sampled& s, float x, float y, float z) {
        const float* const voxels = s.volume.data;
        return TrilinearSample(s.volume.size, x, y, z).of([=](std::size_t i) {
            return gpu::load<BypassL1>(voxels + i);
        });
    }
    /// Strides and the lowest voxel's offset; a 64-bit sum for each of the other voxels.
    static constexpr KernelCost cost =
        3 * axisCost + mixesCost + KernelCost{.integer = 10 + 7 * 2, .globalLoads = 8};
};

struct PointFetches {
    static __device__ float valueAt(const Sampled& s, float x, float y, float z) {
        return gpu::fetchedSample(s.texture, s.volume.size, x, y, z);
    }
    static constexpr KernelCost cost =
        3 * axisCost + mixesCost + KernelCost{.add = 6, .integer = 9, .textureFetches = 8};
};

struct FilteredFetch {
    static __device__ float valueAt(const Sampled& s, float x, float y, float z) {
        return gpu::textureAt(s.texture, x, y, z);
    }
    static constexpr KernelCost cost{.add = 3, .textureFetches = 1};
};

struct LinearFetches {
    static __device__ float valueAt(const Sampled& s, float x, float y, float z) {
        return TrilinearSample(s.volume.size, x, y, z).of([&](std::size_t i) {
            return tex1Dfetch<float>(s.texture, static_cast<int>(i));
        });
    }
    static constexpr KernelCost cost =
        3 * axisCost + mixesCost + KernelCost{.integer = 10 + 7, .textureFetches = 8};
};

struct ReadOnlyLoads {
    static __device__ float valueAt(const Sampled& s, float x, float y, float z) {
        const float* const voxels = s.volume.data;
        return TrilinearSample(s.volume.size, x, y, z).of([=](std::size_t i) {
            return __ldg(voxels + i);
        });
    }
    static constexpr KernelCost cost = Loads<false>::cost;
};

/// One thread per position, in memory order.
template <typename Reads>
__global__ void __launch_bounds__(1024)
    interpolateKernel(const __grid_constant__ Sampled s, FieldView<const float> positions,
                      std::size_t count, float* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = Reads::valueAt(s, positions.u[i], positions.v[i], positions.w[i]);
}

/// The variants' kernels, in the order of interpolateVariants.
struct InterpolateKernel {
    void (*kernel)(Sampled, FieldView<const float>, std::size_t, float*);
    KernelCost cost;
    const char* symbol; ///< see CompiledCost
    /// Per position: seven interpolations of three operations and three fractions; the texture
    /// unit's own work doesn't count.
    double flops = 24;
    gpu::TextureUse texture = gpu::TextureUse::None;
};
constexpr InterpolateKernel interpolateKernels[] = {
    {interpolateKernel<Loads<false>>, frameCost + Loads<false>::cost, "LoadsILb0E"},
    {interpolateKernel<Loads<true>>, frameCost + Loads<true>::cost, "LoadsILb1E"},
    {interpolateKernel<PointFetches>, frameCost + PointFetches::cost, "PointFetches", 24,
     gpu::TextureUse::Points},
    {interpolateKernel<FilteredFetch>, frameCost + FilteredFetch::cost, "FilteredFetch", 3,
     gpu::TextureUse::Filtered},
    {interpolateKernel<LinearFetches>, frameCost + LinearFetches::cost, "LinearFetches", 24,
     gpu::TextureUse::Linear},
    {interpolateKernel<ReadOnlyLoads>, frameCost + ReadOnlyLoads::cost, "ReadOnlyLoads"},
};
static_assert(std::size(interpolateKernels) == std::size(interpolateVariants));

} // namespace

gpu::TextureUse textureOfInterpolation(int variant) { return interpolateKernels[variant].texture; }

void interpolate(int variant, VolumeView<const float> volume, cudaTextureObject_t texture,
                 FieldView<const float> positions, VolumeView<float> out, LaunchLog& log) {
    const InterpolateKernel& kernel = interpolateKernels[variant];
    const auto count = static_cast<double>(out.voxels());
    // Each array counts once: the volume, three coordinates, the result.
    const double bytes = 4 * (static_cast<double>(volume.voxels()) + 4 * count);
    log.launch({interpolateFamily.kernel(variant), bytes, kernel.flops * count, kernel.cost},
               kernel.kernel, gpu::threadsOver(out.voxels(), log, interpolateFamily, variant),
               Sampled{volume, texture}, positions, out.voxels(), out.data);
}

std::vector<CompiledCost> compiledInterpolationCosts() {
    std::vector<CompiledCost> all;
    for (int variant = 0; variant < interpolateFamily.count(); ++variant) {
        const InterpolateKernel& kernel = interpolateKernels[variant];
        all.push_back({interpolateFamily.kernel(variant),
                       std::string("interpolateKernel.*") + kernel.symbol, "all", "STG",
                       kernel.cost});
    }
    return all;
}

} // namespace systole::lab
