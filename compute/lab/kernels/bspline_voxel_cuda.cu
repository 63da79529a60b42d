// A thread per voxel, for control grids of any kind: weights computed by each thread, 64 control
// points read from global memory (as NiftyReg does) or through a linear texture, or eight filtered
// fetches of a 3D texture (Ruijters et al., J. Graphics Tools 13(4), 2008).
#include "compute/lab/kernels/bspline_cuda.cuh"

namespace systole::lab {
using namespace bspline;
namespace {

/// The lowest of four control points along an axis, and where the voxel lies between the middle
/// two.
struct AxisPlace {
    int lowest;
    float part;

    __device__ AxisPlace(const Points& p, int axis, int voxel) {
        // Exact for fewer than four million voxels along an axis.
        lowest = static_cast<int>((static_cast<float>(voxel) + 0.5f) * p.inverseTile[axis]);
        part = static_cast<float>(voxel - lowest * p.tile[axis]) * p.inverseTile[axis];
    }
};

struct GlobalReads {
    static __device__ float at(const Points& p, cudaTextureObject_t, int c, int i) {
        return p.of[c][i];
    }
};
struct LinearFetches {
    static __device__ float at(const Points& p, cudaTextureObject_t texture, int c, int i) {
        return tex1Dfetch<float>(texture, c * (p.plane() * p.count.z) + i);
    }
};

/// 64 control points of three components.
template <typename Reads>
__global__ void __launch_bounds__(1024)
    voxelKernel(const __grid_constant__ Points p, cudaTextureObject_t texture,
                FieldView<float> out) {
    const gpu::Column at = gpu::columnOf(out.size, 1);
    if (!at.inGrid)
        return;
    const AxisPlace x(p, 0, at.x), y(p, 1, at.y), z(p, 2, at.begin);
    const Weights<float> wx = weightsAt(x.part), wy = weightsAt(y.part), wz = weightsAt(z.part);
    const int lowest = p.offset(x.lowest, y.lowest, z.lowest);
    float sum[3] = {0, 0, 0};
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int m = 0; m < 4; ++m) {
            const int line = lowest + m * p.row() + n * p.plane();
            const float weight = wy.of[m] * wz.of[n];
#pragma unroll
            for (int l = 0; l < 4; ++l) {
                const float w = weight * wx.of[l];
#pragma unroll
                for (int c = 0; c < 3; ++c)
                    sum[c] = fmaf(w, Reads::at(p, texture, c, line + l), sum[c]);
            }
        }
    const std::size_t i = out.componentView(0).offset(at.x, at.y, at.begin);
    out.u[i] = sum[0];
    out.v[i] = sum[1];
    out.w[i] = sum[2];
}

/// mixesOf() by the special unit's reciprocal: the texture unit rounds these numbers to 8 bits.
__device__ Mixes<float> approximateMixes(float part) {
    const Weights<float> w = weightsAt(part);
    const float upper = w.of[2] + w.of[3];
    return {__fdividef(w.of[1], w.of[0] + w.of[1]), __fdividef(w.of[3], upper), upper};
}

/// One trilinear fetch for each of the eight sub-cubes of 2×2×2 control points, and one trilinear
/// interpolation of the eight. The texture has the components behind one another along z, and no
/// fetch lies between two of them.
__global__ void __launch_bounds__(1024)
    filterKernel(const __grid_constant__ Points p, cudaTextureObject_t texture,
                 FieldView<float> out) {
    const gpu::Column at = gpu::columnOf(out.size, 1);
    if (!at.inGrid)
        return;
    const AxisPlace x(p, 0, at.x), y(p, 1, at.y), z(p, 2, at.begin);
    const Mixes<float> mx = approximateMixes(x.part), my = approximateMixes(y.part),
                       mz = approximateMixes(z.part);
    const auto lower = [](const AxisPlace& a, const Mixes<float>& m) {
        return static_cast<float>(a.lowest) + m.low + 0.5f;
    };
    const auto upper = [](const AxisPlace& a, const Mixes<float>& m) {
        return static_cast<float>(a.lowest) + m.high + 2.5f;
    };
    const float xs[2] = {lower(x, mx), upper(x, mx)}, ys[2] = {lower(y, my), upper(y, my)};
    const std::size_t i = out.componentView(0).offset(at.x, at.y, at.begin);
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        const float first = static_cast<float>(c * p.count.z);
        const auto row = [&](float py, float pz) {
            return mix(tex3D<float>(texture, xs[0], py, pz), tex3D<float>(texture, xs[1], py, pz),
                       mx.between);
        };
        const auto plane = [&](float pz) {
            return mix(row(ys[0], pz), row(ys[1], pz), my.between);
        };
        out.component(c)[i] =
            mix(plane(first + lower(z, mz)), plane(first + upper(z, mz)), mz.between);
    }
}

// Counted from the source; where the compiler decides, its machine code (CUDA 13, compute
// capability 9.0) counts.

/// The position in its tile and four weights of an axis.
constexpr KernelCost axisCost{.add = 2, .multiply = 11, .fusedMultiplyAdd = 5, .integer = 10};
/// axisCost and three interpolations; approximate reciprocals count as roots.
constexpr KernelCost mixAxisCost{
    .add = 6, .multiply = 13, .fusedMultiplyAdd = 9, .squareRoot = 2, .integer = 14};
constexpr KernelCost storeCost{.integer = 12, .globalStores = 3};

/// 64 weights and their products with 16 of y and z.
constexpr KernelCost sumCost =
    KernelCost{.multiply = 16 + 64, .fusedMultiplyAdd = 192} + 3 * axisCost + storeCost;

void launchOver(const FieldLaunch& f, LaunchLog& log, double flops, const KernelCost& cost,
                void (*kernel)(Points, cudaTextureObject_t, FieldView<float>)) {
    log.launch(f.note(flops, cost), kernel, gpu::columnsOver(f.field.size, 1, f.rows(log)),
               Points(f.points), f.texture, f.field);
}

/// 64 products of three weights, 192 products with control points.
constexpr double sumFlops = 80 + 2 * 192;

} // namespace

const KernelCost globalVoxel = sumCost + KernelCost{.integer = 48, .globalLoads = 192};
const KernelCost texture1dVoxel = sumCost + KernelCost{.integer = 192, .textureFetches = 192};
const KernelCost textureFilterVoxel =
    3 * mixAxisCost + storeCost +
    KernelCost{.add = 21, .fusedMultiplyAdd = 21, .integer = 30, .textureFetches = 24};

void launchGlobal(const FieldLaunch& f, LaunchLog& log) {
    launchOver(f, log, sumFlops, globalVoxel, voxelKernel<GlobalReads>);
}
void launchTexture1d(const FieldLaunch& f, LaunchLog& log) {
    launchOver(f, log, sumFlops, texture1dVoxel, voxelKernel<LinearFetches>);
}
void launchTextureFilter(const FieldLaunch& f, LaunchLog& log) {
    // The texture unit's own work doesn't count.
    launchOver(f, log, 63 + 60, textureFilterVoxel, filterKernel);
}

} // namespace systole::lab
