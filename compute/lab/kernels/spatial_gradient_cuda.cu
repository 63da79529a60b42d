#include "compute/cuda/kernel_support.cuh"
#include "compute/lab/kernels/spatial_gradient_cuda.cuh"
#include "compute/methods/ffd/warp.h"
#include "compute/ops/sample_texture.cuh"

namespace systole::lab {
using namespace gpu;
namespace {

using Source = GradientSource;

struct Loads {
    static __device__ float motion(const Source& s, int axis, std::size_t i) {
        return s.motion.component(axis)[i];
    }
    static __device__ TrilinearCell cell(const Source& s, MovingPosition p) {
        const float* const voxels = s.moving.data;
        return {[=](std::size_t i) { return voxels[i]; }, s.moving.size, p};
    }
};

struct ReadOnlyLoads {
    static __device__ float motion(const Source& s, int axis, std::size_t i) {
        return __ldg(s.motion.component(axis) + i);
    }
    static __device__ TrilinearCell cell(const Source& s, MovingPosition p) {
        const float* const voxels = s.moving.data;
        return {[=](std::size_t i) { return __ldg(voxels + i); }, s.moving.size, p};
    }
};

struct LinearFetches {
    static __device__ float motion(const Source& s, int axis, std::size_t i) {
        return tex1Dfetch<float>(s.motionOf[axis], static_cast<int>(i));
    }
    static __device__ TrilinearCell cell(const Source& s, MovingPosition p) {
        const cudaTextureObject_t image = s.image;
        return {[=](std::size_t i) { return tex1Dfetch<float>(image, static_cast<int>(i)); },
                s.moving.size, p};
    }
};

struct PointFetches : Loads {
    static __device__ TrilinearCell cell(const Source& s, MovingPosition p) {
        const AxisSample x = axisSample(p.x, s.moving.size.x), y = axisSample(p.y, s.moving.size.y),
                         z = axisSample(p.z, s.moving.size.z);
        TrilinearCell cell(x.part, y.part, z.part);
#pragma unroll
        for (int k = 0; k < 8; ++k)
            cell.value[k] = textureAt(s.image, static_cast<float>(k & 1 ? x.high : x.low),
                                      static_cast<float>(k & 2 ? y.high : y.low),
                                      static_cast<float>(k & 4 ? z.high : z.low));
        return cell;
    }
};

template <typename Reads>
__device__ inline TrilinearGradient gradientAt(const Source& s, MovingPosition p) {
    return {Reads::cell(s, p), s.moving.size, p};
}

struct FilteredFetches : Loads {};

/// Difference along each axis of the two planes of voxels around the position, where the texture
/// unit interpolates within the planes.
template <>
__device__ inline TrilinearGradient gradientAt<FilteredFetches>(const Source& s, MovingPosition p) {
    const Size3 size = s.moving.size;
    TrilinearGradient g(TrilinearCell(0, 0, 0), size, p);
    const auto ends = [](float position, int n) {
        const AxisSample a = axisSample(position, n);
        return make_float2(static_cast<float>(a.low), static_cast<float>(a.high));
    };
    const float2 x = ends(p.x, size.x), y = ends(p.y, size.y), z = ends(p.z, size.z);
    const auto at = [&](float i, float j, float k) { return textureAt(s.image, i, j, k); };
    if (withinGrid(p.x, size.x))
        g.x = at(x.y, p.y, p.z) - at(x.x, p.y, p.z);
    if (withinGrid(p.y, size.y))
        g.y = at(p.x, y.y, p.z) - at(p.x, y.x, p.z);
    if (withinGrid(p.z, size.z))
        g.z = at(p.x, p.y, z.y) - at(p.x, p.y, z.x);
    return g;
}

/// A thread per voxel.
template <typename Reads>
__global__ void __launch_bounds__(1024)
    spatialGradientKernel(const __grid_constant__ GradientSource s, FieldView<float> out) {
    const Column c = columnOf(out.size, 1);
    if (!c.inGrid)
        return;
    const std::size_t i = out.componentView(0).offset(c.x, c.y, c.begin);
    const MovingPosition p{static_cast<float>(c.x) + Reads::motion(s, 0, i),
                           static_cast<float>(c.y) + Reads::motion(s, 1, i),
                           static_cast<float>(c.begin) + Reads::motion(s, 2, i)};
    const TrilinearGradient g = gradientAt<Reads>(s, p);
    out.u[i] = g.x;
    out.v[i] = g.y;
    out.w[i] = g.z;
}

// Counted from the source; where the compiler decides, its machine code (CUDA 13, compute
// capability 9.0) counts.

/// The position and the three results.
constexpr KernelCost frameCost{.add = 3, .integer = 12, .globalStores = 3};
/// Per axis: the cell, the fraction, and whether the position lies inside.
constexpr KernelCost axisCost{.add = 1, .integer = 18};
/// Four slopes and values along x; the differences and interpolations of three axes, two of which
/// share theirs.
constexpr KernelCost cellCost =
    3 * axisCost + KernelCost{.add = 4 + 3 + 3 + 1, .fusedMultiplyAdd = 4 + 3 + 1 + 2};
constexpr KernelCost offsetCost{.integer = 10 + 7 * 2};

constexpr KernelCost loadsCost =
    frameCost + cellCost + offsetCost + KernelCost{.globalLoads = 8 + 3};

struct GradientKernel {
    void (*kernel)(GradientSource, FieldView<float>);
    KernelCost cost;
    const char* symbol; ///< see CompiledCost
    double flops = 37;  ///< a voxel; the texture unit's own work doesn't count
    TextureUse texture = TextureUse::None;
};
constexpr GradientKernel gradientKernels[] = {
    {spatialGradientKernel<Loads>, loadsCost, "5Loads"},
    {spatialGradientKernel<LinearFetches>,
     frameCost + cellCost + offsetCost + KernelCost{.textureFetches = 8 + 3}, "LinearFetches", 37,
     TextureUse::Linear},
    {spatialGradientKernel<PointFetches>,
     frameCost + cellCost +
         KernelCost{.add = 6, .integer = 9, .globalLoads = 3, .textureFetches = 8},
     "PointFetches", 37, TextureUse::Points},
    {spatialGradientKernel<ReadOnlyLoads>, loadsCost, "ReadOnlyLoads"},
    {spatialGradientKernel<FilteredFetches>,
     frameCost + 3 * axisCost +
         KernelCost{.add = 3 + 9, .integer = 9, .globalLoads = 3, .textureFetches = 6},
     "FilteredFetches", 6, TextureUse::Filtered},
};
static_assert(std::size(gradientKernels) == std::size(spatialGradientVariants));

} // namespace

GradientTextures::GradientTextures(int variant, VolumeView<const float> moving,
                                   FieldView<const float> motion, LaunchLog& log)
    : source_{moving, motion} {
    const TextureUse use = gradientKernels[variant].texture;
    textures_[3] = {use, moving.size, moving.data, log};
    source_.image = textures_[3].object();
    for (int axis = 0; axis < 3 && use == TextureUse::Linear; ++axis) {
        VariantTexture& component = textures_[static_cast<std::size_t>(axis)];
        component = {use, motion.size, motion.component(axis), log};
        source_.motionOf[axis] = component.object();
    }
}

void spatialGradient(int variant, const GradientSource& source, FieldView<float> gradient,
                     LaunchLog& log) {
    const GradientKernel& kernel = gradientKernels[variant];
    const auto voxels = static_cast<double>(gradient.size.voxels());
    const double bytes = 4 * (static_cast<double>(source.moving.voxels()) + 6 * voxels);
    const LaunchShape shape =
        columnsOver(gradient.size, 1, rowsOfBlock(log, spatialGradientFamily, variant));
    log.launch({spatialGradientFamily.kernel(variant), bytes, kernel.flops * voxels,
                perThread(shape, voxels, kernel.cost)},
               kernel.kernel, shape, source, gradient);
}

std::vector<CompiledCost> compiledSpatialGradientCosts() {
    std::vector<CompiledCost> all;
    for (int variant = 0; variant < spatialGradientFamily.count(); ++variant) {
        const GradientKernel& kernel = gradientKernels[variant];
        all.push_back({spatialGradientFamily.kernel(variant),
                       std::string("spatialGradientKernel.*") + kernel.symbol, "all", "STG",
                       kernel.cost});
    }
    return all;
}

} // namespace systole::lab
