// The family's table of kernels, and the functions for host code.
#include "compute/lab/kernels/bspline_cuda.cuh"
#include "compute/ops/bspline_field_check.h"

namespace systole::lab {
using namespace bspline;
namespace {

/// The variants' kernels, in the order of bsplineVariants.
struct FieldKernel {
    void (*launch)(const FieldLaunch& f, LaunchLog& log);
    const KernelCost& voxel; ///< cost of the region in the machine code
    const char* symbol;      ///< symbol and region as in CompiledCost
    const char* region;
    const char* unit;
    gpu::TextureUse texture = gpu::TextureUse::None;
};
const FieldKernel fieldKernels[] = {
    {launchGlobal, globalVoxel, "voxelKernel.*GlobalReads", "all", "STG"},
    {launchTexture1d, texture1dVoxel, "voxelKernel.*LinearFetches", "all", "STG",
     gpu::TextureUse::Linear},
    {launchThreadPerVoxel, sharedVoxel, "blockPerTileKernel", "innermost", "STG"},
    {launchTextureFilter, textureFilterVoxel, "bspline.*filterKernel", "all", "STG",
     gpu::TextureUse::Filtered},
    {launchThreadPerTile, tileVoxel, "10tileKernel", "innermost", "STG"},
    {launchThreadPerTileLerp, tileLerpVoxel, "tileLerpKernel", "innermost", "STG"},
    {launchColumns, columnPair, "columnsKernelILi2E", "innermost", "STG"},
};
static_assert(std::size(fieldKernels) == std::size(bsplineVariants));

__global__ void __launch_bounds__(1024) writeKernel(FieldView<float> out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= out.size.voxels())
        return;
    out.u[i] = 0;
    out.v[i] = 0;
    out.w[i] = 0;
}

} // namespace

gpu::TextureUse textureOfBspline(int variant) { return fieldKernels[variant].texture; }

void bsplineField(LaunchLog& log, int variant, ControlPointsView<const float> points,
                  cudaTextureObject_t texture, FieldView<float> field) {
    fieldKernels[variant].launch({points, field, texture, bsplineFamily, variant}, log);
}

std::vector<CompiledCost> compiledBsplineCosts() {
    std::vector<CompiledCost> all;
    for (int variant = 0; variant < bsplineFamily.count(); ++variant) {
        const FieldKernel& kernel = fieldKernels[variant];
        all.push_back({bsplineFamily.kernel(variant) + " voxel", kernel.symbol, kernel.region,
                       kernel.unit, kernel.voxel});
    }
    return all;
}

void bsplineFieldOnDevice(int variant, ControlPointsView<const float> points,
                          FieldView<float> field, const ExecContext& ctx) {
    checkOnDevice(points.grid, points.values.size, field.size);
    checkFromFirstVoxel(points.grid);
    const FieldView<const float>& p = points.values;
    const gpu::TextureUse use = textureOfBspline(variant);
    if (use != gpu::TextureUse::None &&
        (p.v != p.u + p.size.voxels() || p.w != p.v + p.size.voxels()))
        throw ComputeError(bsplineFamily.kernel(variant) +
                           " needs the components of the control points behind one another");
    VariantTexture texture;
    loggedCall(ctx, "warp", [&](LaunchLog& log) {
        texture = {use, {p.size.x, p.size.y, 3 * p.size.z}, p.u, log};
        bsplineField(log, variant, points, texture.object(), field);
    });
    if (use != gpu::TextureUse::None) // the texture must outlive the kernel
        ctx.cuda->synchronize(CudaStream::Compute);
}

void writeFieldOnDevice(FieldView<float> field, const ExecContext& ctx) {
    loggedCall(ctx, "warp", [&](LaunchLog& log) {
        log.launch({"bspline floor", 12.0 * static_cast<double>(field.size.voxels())}, writeKernel,
                   gpu::threadsOver(field.size.voxels(), log, "bspline floor"), field);
    });
}

} // namespace systole::lab
