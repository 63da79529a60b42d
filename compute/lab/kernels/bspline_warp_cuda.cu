#include "compute/lab/kernels/bspline_warp_cuda.cuh"
#include "compute/lab/kernels/bspline_warp_math.h"
#include "compute/ops/bspline_columns.cuh"
#include "compute/ops/bspline_field_check.h"

namespace systole::lab {
namespace {

using namespace bspline;

template <bool WithStart, bool WithGradient>
__global__ void __launch_bounds__(512)
    fusedKernel(const __grid_constant__ Points p, const __grid_constant__ WeightConstants weights,
                const __grid_constant__ BsplineWarp in, const __grid_constant__ BsplineWarped out,
                int tiles) {
    alongColumn<1, false>(
        p, weights, out.values.size, tiles,
        [&](std::size_t i, int x, int y, int z, const float(&d)[3][1]) {
            warpVoxel<WithStart, WithGradient>(in, out, i, x, y, z, {d[0][0], d[1][0], d[2][0]});
        });
}

template <bool WithStart, bool WithGradient>
__global__ void __launch_bounds__(1024)
    fieldKernel(FieldView<const float> field, const __grid_constant__ BsplineWarp in,
                const __grid_constant__ BsplineWarped out) {
    const gpu::Column at = gpu::columnOf(field.size, 1);
    if (!at.inGrid)
        return;
    const std::size_t i = field.componentView(0).offset(at.x, at.y, at.begin);
    warpVoxel<WithStart, WithGradient>(in, out, i, at.x, at.y, at.begin,
                                       {field.u[i], field.v[i], field.w[i]});
}

// Counted from the source; where the compiler decides, its machine code (CUDA 13, compute
// capability 9.0) counts. Without a start, with a gradient.

/// Position, eight voxels, value, weight, gradient.
constexpr KernelCost warpCost{.add = 25,
                              .multiply = 9,
                              .fusedMultiplyAdd = 23,
                              .integer = 100,
                              .globalLoads = 8,
                              .globalStores = 5};
constexpr KernelCost splineCost{
    .multiply = 3, .fusedMultiplyAdd = 9, .integer = 16, .constantLoads = 1};
constexpr KernelCost fusedVoxel = warpCost + splineCost;
constexpr KernelCost fieldVoxel = warpCost + KernelCost{.integer = 60, .globalLoads = 3};

/// The moving image, the start, what a kernel reads besides, and the results, each once.
KernelNote noteOf(int variant, const BsplineWarp& in, const BsplineWarped& out, double otherFloats,
                  const KernelCost& cost) {
    const auto voxels = static_cast<double>(out.values.voxels());
    const double perVoxel = 2 + (in.start.empty() ? 0 : 3) + (out.gradient.empty() ? 0 : 3);
    return {bsplineWarpFamily.kernel(variant),
            4 * (perVoxel * voxels + static_cast<double>(in.moving.voxels()) + otherFloats),
            80 * voxels, cost};
}

constexpr int fromField = bsplineWarpFamily.named("from-field"),
              fused = bsplineWarpFamily.named("fused");

} // namespace

void bsplineWarp(LaunchLog& log, int variant, const BsplineWarp& in, const BsplineWarped& out,
                 FieldView<float> field) {
    const Size3 size = out.values.size;
    const int rows = gpu::rowsOfBlock(log, bsplineWarpFamily, variant);
    withParts(in, out, [&](auto start, auto gradient) {
        constexpr bool withStart = decltype(start)::value, withGradient = decltype(gradient)::value;
        if (variant == fromField) {
            gpu::bsplineField(log, in.points, field);
            log.launch(noteOf(variant, in, out, 3 * static_cast<double>(size.voxels()), fieldVoxel),
                       fieldKernel<withStart, withGradient>, gpu::columnsOver(size, 1, rows), field,
                       in, out);
            return;
        }
        const ColumnsShape columns(in.points.grid, rows, 1, gpu::planesFor(size, 32));
        log.launch(noteOf(variant, in, out, 3 * static_cast<double>(in.points.values.size.voxels()),
                          columns.cost(size, fusedVoxel)),
                   fusedKernel<withStart, withGradient>, columns.shape, Points(in.points),
                   WeightConstants(in.points.grid), in, out, columns.tiles);
    });
}

std::vector<CompiledCost> compiledBsplineWarpCosts() {
    return {{bsplineWarpFamily.kernel(fromField) + " voxel", "bspline_warp.*fieldKernelILb0ELb1E",
             "all", "STG", fieldVoxel},
            {bsplineWarpFamily.kernel(fused) + " voxel", "bspline_warp.*fusedKernelILb0ELb1E",
             "innermost", "STG", fusedVoxel}};
}

void bsplineWarpOnDevice(int variant, const BsplineWarp& in, const BsplineWarped& out,
                         const ExecContext& ctx) {
    check(in, out);
    checkOnDevice(in.points.grid, in.points.values.size, out.values.size);
    Buffer<float> field;
    if (variant == fromField)
        field = ctx.cuda->devicePool().acquire<float>(3 * out.values.voxels(), "B-spline field");
    loggedCall(ctx, "warp", [&](LaunchLog& log) {
        bsplineWarp(log, variant, in, out, {field.data(), out.values.size});
    });
    ctx.cuda->synchronize(CudaStream::Compute); // the field must outlive the kernels
}

} // namespace systole::lab
