// The separable variant of the field: whole warps store along x while they march along z.
#include "compute/ops/bspline_columns.cuh"

namespace systole::bspline {
namespace {

__global__ void __launch_bounds__(1024)
    columnsKernel(const __grid_constant__ Points p, const __grid_constant__ WeightConstants weights,
                  FieldView<float> out, int tiles) {
    alongColumn(p, weights, out.size, tiles, [&](std::size_t i, int, int, int, float3 value) {
        out.u[i] = value.x;
        out.v[i] = value.y;
        out.w[i] = value.z;
    });
}

} // namespace

const KernelCost columnVoxel{
    .multiply = 3, .fusedMultiplyAdd = 9, .integer = 16, .globalStores = 3, .constantLoads = 1};

void launchColumns(const FieldLaunch& f, LaunchLog& log) {
    const Size3 size = f.field.size, tile = f.points.grid.tile;
    const ColumnsShape columns(size, tile, gpu::rowsOfBlock(log, bsplineFamily, f.variant));
    log.launch(f.note(21 + 42.0 / tile.z, columns.cost(size, columnVoxel)), columnsKernel,
               columns.shape, Points(f.points), WeightConstants(tile), f.field, columns.tiles);
}

} // namespace systole::bspline
