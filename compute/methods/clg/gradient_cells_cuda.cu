// Gradient, products and their means over cells of two voxels along each axis in one pass, for
// motion on half the grid: nine volumes of an eighth of the voxels are all that is written.
#include "compute/cuda/early_launch.cuh"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/methods/clg/tensor_math.h"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;
using gpu::tileX;

constexpr int maxPlanes = 8; ///< planes of cells per thread

/// A plane of a cell: its four voxels, by row and column, and the sums of both frames around them.
struct CellPlane {
    float sum[2][2], difference[2][2], inside[2][2];
    float below[2], above[2]; ///< sums around the voxels below and above, of each column
    float left[2], right[2];  ///< sums around the voxels to the left and right, of each row
};

/// Reads the planes of one column of cells. Neighbors along x come from adjacent lanes, so that all
/// threads of a warp take part.
class CellReader {
public:
    __device__ CellReader(const TensorStep& s, int x, int y) : s_(s) {
        const Size3 size = s.fixed.size;
        const int rows[4] = {max(y - 1, 0), y, y + 1, min(y + 2, size.y - 1)};
#pragma unroll
        for (int j = 0; j < 4; ++j)
            row_[j] = s.fixed.offset(x, rows[j], 0);
        beside_ = first() ? -min(x, 1) : min(2, size.x - 1 - x);
    }
    __device__ CellPlane at(int z) const {
        const std::size_t plane = s_.fixed.offset(0, 0, min(max(z, 0), s_.fixed.size.z - 1));
        CellPlane p;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const std::size_t i = plane + row_[j];
            const float2 fixed = pair(s_.fixed.data + i), warped = pair(s_.warped + i);
            const float sum[2] = {fixed.x + warped.x, fixed.y + warped.y};
#pragma unroll
            for (int column = 0; column < 2; ++column)
                (j == 0 ? p.below : j == 3 ? p.above : p.sum[j - 1])[column] = sum[column];
            if (j == 0 || j == 3)
                continue;
            p.difference[j - 1][0] = warped.x - fixed.x;
            p.difference[j - 1][1] = warped.y - fixed.y;
            const float2 inside = s_.inside ? pair(s_.inside + i) : make_float2(1, 1);
            p.inside[j - 1][0] = inside.x;
            p.inside[j - 1][1] = inside.y;
            p.left[j - 1] = __shfl_up_sync(0xffffffffu, sum[1], 1);
            p.right[j - 1] = __shfl_down_sync(0xffffffffu, sum[0], 1);
            if (first() || last()) {
                const auto at = static_cast<std::ptrdiff_t>(i) + beside_;
                (first() ? p.left : p.right)[j - 1] = s_.fixed.data[at] + s_.warped[at];
            }
        }
        return p;
    }

private:
    static __device__ bool first() { return threadIdx.x == 0; }
    static __device__ bool last() { return threadIdx.x == tileX - 1; }
    static __device__ float2 pair(const float* voxels) {
        return __ldg(reinterpret_cast<const float2*>(voxels));
    }

    const TensorStep& s_;
    std::size_t row_[4];
    int beside_;
};

/// A central difference; zero where it leaves the grid.
__device__ float central(float factor, int i, int n, float behind, float ahead) {
    return i > 0 && i < n - 1 ? factor * (ahead - behind) : 0.0f;
}

__global__ void __launch_bounds__(256)
    gradientCells(const __grid_constant__ TensorStep s, int planes, GridSum room) {
    gpu::waitForKernelBefore();
    const Size3 size = s.fixed.size, cells{size.x / 2, size.y / 2, size.z / 2};
    const Column c = gpu::columnOf(cells, planes);
    const float epsilon = s.state->epsilon;
    // Threads beyond the edge use the last cell.
    const int x = 2 * min(c.x, cells.x - 1), y = 2 * min(c.y, cells.y - 1);
    const CellReader reader(s, x, y);
    CellPlane behind = reader.at(2 * c.begin - 1), here = reader.at(2 * c.begin);
    double2 noise{0, 0};
    float mean[9] = {};
    for (int z = 2 * c.begin; z < 2 * c.end; ++z) {
        const CellPlane ahead = reader.at(z + 1);
#pragma unroll
        for (int j = 0; j < 2; ++j)
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const Gradient g{
                    central(s.factor[0], x + i, size.x, i == 0 ? here.left[j] : here.sum[j][0],
                            i == 0 ? here.sum[j][1] : here.right[j]),
                    central(s.factor[1], y + j, size.y, j == 0 ? here.below[i] : here.sum[0][i],
                            j == 0 ? here.sum[1][i] : here.above[i]),
                    central(s.factor[2], z, size.z, behind.sum[j][i], ahead.sum[j][i]),
                    here.difference[j][i]};
                const float weight = here.inside[j][i] / dataNorm(g, epsilon);
                const std::array<float, 9> products = tensorProducts(g);
#pragma unroll
                for (std::size_t k = 0; k < 9; ++k)
                    mean[k] = fmaf(0.125f * weight, products[k], mean[k]);
                if (s.noise && c.inGrid) {
                    noise.x += static_cast<double>(weight * g.t * g.t);
                    noise.y += static_cast<double>(here.inside[j][i]);
                }
            }
        behind = here;
        here = ahead;
        if (z % 2 == 0)
            continue;
        const std::size_t cell = VolumeView<float>(nullptr, cells).offset(c.x, c.y, z / 2);
#pragma unroll
        for (int k = 0; k < 9; ++k) {
            if (c.inGrid)
                s.product[k][cell] = mean[k];
            mean[k] = 0;
        }
    }
    double2 total;
    if (s.noise && gpu::gridSum(noise, room, total))
        s.state->noise = total.y > 0 ? sqrt(total.x / total.y) : 0;
}

} // namespace

void productsOfCells(const TensorStep& step, const GridSum& sum, LaunchLog& log) {
    const Size3 size = step.fixed.size, cells{size.x / 2, size.y / 2, size.z / 2};
    const auto voxels = static_cast<double>(size.voxels());
    const int planes = gpu::planesFor(cells, maxPlanes);
    gpu::launchEarly(log, {"products of cells", (8 + 4 + 9 * 4 / 8.0) * voxels, 40 * voxels},
                     gradientCells, gpu::columnsOver(cells, planes), step, planes, sum);
}

} // namespace systole::clg
