// The moving frame at displaced positions, in several variants, with the residual from which the
// data term's normalization is found.
#include "compute/cuda/early_launch.cuh"
#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/ops/sample_texture.cuh"

#include <algorithm>

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;

// The ways to read the moving frame, each with its work per thread at one voxel, linear and cubic:
// counted from the source; where the compiler decides, its machine code (CUDA 13, compute
// capability 9.0) counts.

/// Four weights along each axis from its fraction, 21 sums of four products.
constexpr KernelCost cubicWeights{
    .add = 3 * 14, .multiply = 3 * 4 + 21, .fusedMultiplyAdd = 3 * 7 + 63, .integer = 120};

struct CachedLoads {
    static __device__ float at(const WarpStep& s, float x, float y, float z) {
        // The read-only path is used, so that loads needn't wait for the stores before them.
        const float* const moving = s.moving.data;
        return TrilinearSample(s.moving.size, x, y, z).of([=](std::size_t i) {
            return __ldg(moving + i);
        });
    }
    static __device__ float cubicAt(const WarpStep& s, float x, float y, float z) {
        const float* const moving = s.moving.data;
        return cubicSampleAt(s.moving.size, x, y, z,
                             [=](std::size_t i) { return __ldg(moving + i); });
    }
    /// Eight corners, three fractions, seven interpolations.
    static constexpr KernelCost linear{
        .add = 3 + 7, .fusedMultiplyAdd = 7, .integer = 105, .globalLoads = 8};
    static constexpr KernelCost cubic =
        cubicWeights + KernelCost{.integer = 200, .globalLoads = 64};
};

/// CachedLoads for rows of fewer than four voxels.
struct NarrowLoads {
    static __device__ float cubicAt(const WarpStep& s, float x, float y, float z) {
        return cubicSample(s.moving.size, x, y, z, s.moving);
    }
};

struct PointFetches {
    static __device__ float at(const WarpStep& s, float x, float y, float z) {
        return gpu::fetchedSample(s.texture, s.moving.size, x, y, z);
    }
    static __device__ float cubicAt(const WarpStep& s, float x, float y, float z) {
        return gpu::fetchedCubicSample(s.texture, s.moving.size, x, y, z);
    }
    /// Costs with the texel centers: two along each axis, four with cubic interpolation.
    static constexpr KernelCost linear{
        .add = 3 + 7 + 6, .fusedMultiplyAdd = 7, .integer = 98, .textureFetches = 8};
    static constexpr KernelCost cubic =
        cubicWeights +
        KernelCost{.add = 12, .integer = 120, .textureFetches = 64, .localAccesses = 4};
};

struct FilteredFetch {
    static __device__ float at(const WarpStep& s, float x, float y, float z) {
        return gpu::textureAt(s.texture, x, y, z);
    }
    /// Three texel positions.
    static constexpr KernelCost linear{.add = 3, .integer = 45, .textureFetches = 1};
};

/// Position to which the field takes a voxel. `Between`: the field's grid isn't the frames'.
template <bool Between>
__device__ Position place(const WarpStep& s, int x, int y, int z, std::size_t i) {
    if constexpr (!Between)
        return {static_cast<float>(x) + __ldg(s.field.u + i),
                static_cast<float>(y) + __ldg(s.field.v + i),
                static_cast<float>(z) + __ldg(s.field.w + i)};
    const int voxel[3] = {x, y, z};
    float at[3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        const float ratio = s.between.ratio[static_cast<std::size_t>(axis)];
        at[axis] = static_cast<float>(voxel[axis]) * ratio +
                   resamplingShift(s.field.size[axis], ratio, s.moving.size[axis]);
    }
    const TrilinearSample sample(s.field.size, at[0], at[1], at[2]);
    float to[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const float* const component = s.field.component(k);
        to[k] = static_cast<float>(voxel[k]) +
                s.between.gain[static_cast<std::size_t>(k)] *
                    sample.of([=](std::size_t j) { return __ldg(component + j); });
    }
    return {to[0], to[1], to[2]};
}

template <typename Reads, bool Cubic, bool Between>
__global__ void __launch_bounds__(gpu::maxThreads)
    warpKernel(const __grid_constant__ WarpStep s, int planes, GridSum room) {
    gpu::waitForKernelBefore();
    const Size3 size = s.moving.size;
    const Column c = gpu::columnOf(size, planes);
    const std::uint8_t* const counts = s.still.found();
    // Few values per thread: single precision is exact enough for their sum.
    float squared = 0, count = 0;
#pragma unroll(Cubic ? 1 : 2)
    for (int z = c.begin; z < (c.inGrid ? c.end : c.begin); ++z) {
        const std::size_t i = s.moving.offset(c.x, c.y, z);
        const Position p = place<Between>(s, c.x, c.y, z, i);
        float value;
        if constexpr (Cubic)
            value = Reads::cubicAt(s, p.x, p.y, p.z);
        else
            value = Reads::at(s, p.x, p.y, p.z);
        const float inside = counts && !counts[i] ? 0 : insideWeight(p, size);
        s.warped[i] = value;
        s.inside[i] = inside;
        if (s.findEpsilon && c.y % rowStep == 0) {
            const float difference = value - __ldg(s.fixed.data + i);
            squared += inside * difference * difference;
            count += inside;
        }
    }
    const double2 sum{static_cast<double>(squared), static_cast<double>(count)};
    double2 total;
    if (s.findEpsilon && gpu::gridSum(sum, room, total)) {
        s.state->residualSquared = total.x;
        s.state->residualCount = total.y;
        s.state->epsilon = epsilonOf(total.x, total.y);
    }
}

/// A variant's kernel for one interpolation.
struct WarpKernel {
    void (*kernel)(WarpStep, int, GridSum);
    void (*between)(WarpStep, int, GridSum); ///< kernel for a field on another grid
    KernelCost reads;
    double flops;       ///< flops per voxel
    const char* symbol; ///< symbol as in CompiledCost
};
/// Kernels of one variant, in an array in the order of warpVariants.
struct WarpKernels {
    WarpKernel linear, cubic;
    gpu::TextureUse texture = gpu::TextureUse::None;
};
constexpr WarpKernel filteredFetch{warpKernel<FilteredFetch, false, false>,
                                   warpKernel<FilteredFetch, false, true>, FilteredFetch::linear,
                                   10, "FilteredFetchELb0ELb0E"};
constexpr WarpKernels warpKernels[] = {
    {{warpKernel<CachedLoads, false, false>, warpKernel<CachedLoads, false, true>,
      CachedLoads::linear, 40, "CachedLoadsELb0ELb0E"},
     {warpKernel<CachedLoads, true, false>, warpKernel<CachedLoads, true, true>, CachedLoads::cubic,
      220, "CachedLoadsELb1ELb0E"}},
    {{warpKernel<PointFetches, false, false>, warpKernel<PointFetches, false, true>,
      PointFetches::linear, 40, "PointFetchesELb0ELb0E"},
     {warpKernel<PointFetches, true, false>, warpKernel<PointFetches, true, true>,
      PointFetches::cubic, 220, "PointFetchesELb1ELb0E"},
     gpu::TextureUse::Points},
    {filteredFetch, filteredFetch, gpu::TextureUse::Filtered},
};
static_assert(std::size(warpKernels) == std::size(warpVariants));

/// One voxel: the field, three positions and their weight; `measured`: the fraction of voxels whose
/// residual is summed; `asked`: of those of which it is asked whether they count.
KernelCost voxelCost(const WarpKernel& kernel, double measured, double asked) {
    constexpr KernelCost frame{.add = 3 + 5, .globalLoads = 3, .globalStores = 2};
    constexpr KernelCost residual{.add = 2, .multiply = 1, .fusedMultiplyAdd = 1, .globalLoads = 1};
    constexpr KernelCost counts{.integer = 2, .globalLoads = 1};
    return frame + kernel.reads + measured * residual + asked * counts;
}

} // namespace

std::size_t gridSumBlocks(Size3 size) {
    // Blocks of one row and one plane are the smallest that are summed; or four cells of brightness
    // each, six voxels wide along the finest axis and one along two that are coarse.
    std::size_t largest = gpu::blocksOf(gpu::columnsOver(size, 1, 1));
    for (int axis = 0; axis < 3; ++axis) {
        const auto n = static_cast<std::size_t>(size[axis]);
        largest = std::max(largest, (size.voxels() / n * ((n + 5) / 6) + 3) / 4);
    }
    return largest;
}

gpu::TextureUse textureOfWarp(int variant) { return warpKernels[variant].texture; }

void warp(int variant, const WarpStep& step, const GridSum& sum, LaunchLog& log) {
    WarpKernel kernel = step.cubic ? warpKernels[variant].cubic : warpKernels[variant].linear;
    if (kernel.kernel == warpKernel<CachedLoads, true, false> && step.moving.size.x < 4) {
        kernel.kernel = warpKernel<NarrowLoads, true, false>;
        kernel.between = warpKernel<NarrowLoads, true, true>;
    }
    const auto voxels = static_cast<double>(step.moving.voxels());
    const int planes = gpu::planesFor(step.moving.size, 8);
    const int rows = gpu::rowsOfBlock(log, warpFamily, variant);
    const LaunchShape shape = gpu::columnsOver(step.moving.size, planes, rows);
    const KernelCost voxel = voxelCost(kernel, step.findEpsilon ? 1.0 / rowStep : 0, 0);
    gpu::launchEarly(log,
                     {warpFamily.kernel(variant), (step.findEpsilon ? 26 : 24) * voxels,
                      kernel.flops * voxels, gpu::perThread(shape, voxels, voxel)},
                     step.field.size == step.moving.size ? kernel.kernel : kernel.between, shape,
                     step, planes, sum);
}

std::vector<CompiledCost> compiledWarpCosts() {
    std::vector<CompiledCost> all;
    const auto add = [&](const std::string& name, const WarpKernel& kernel, const char* unit) {
        all.push_back({name, std::string("warpKernel.*") + kernel.symbol, "loop", unit,
                       voxelCost(kernel, 1, 1)});
    };
    for (int variant = 0; variant < warpFamily.count(); ++variant) {
        const WarpKernels& kernels = warpKernels[variant];
        add(warpFamily.kernel(variant), kernels.linear, "STG");
        if (kernels.cubic.kernel != kernels.linear.kernel)
            add(warpFamily.kernel(variant) + " cubic", kernels.cubic,
                kernels.texture == gpu::TextureUse::None ? "LDG" : "TEX");
    }
    return all;
}

} // namespace systole::clg
