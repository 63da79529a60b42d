#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/uploaded.h"
#include "compute/landmarks/displacement_grid_cuda.h"
#include "compute/landmarks/thin_plate_math.h"

namespace systole::gpu {
namespace {

using tps::Point;
using tps::Term;

constexpr int rowVoxels = 4; ///< neighbors of a row in one thread, as in variant row-x4
constexpr int tileTerms = 256;

struct Grid {
    FieldView<float> out;
    float spacing[3];
    tps::Affine affine; ///< less the identity
    int groups;         ///< groups of rowVoxels in a row
};

/// A block goes through the terms together, tile by tile; a row's last group may reach beyond it.
__global__ void __launch_bounds__(tileTerms)
    displacementKernel(const __grid_constant__ Grid grid, const Term* terms, int count) {
    __shared__ Term tile[tileTerms];
    const long long group = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    const Size3 size = grid.out.size;
    const long long row = group / grid.groups;
    const int first = static_cast<int>(group % grid.groups) * rowVoxels;
    const float y = grid.spacing[1] * static_cast<float>(row % size.y),
                z = grid.spacing[2] * static_cast<float>(row / size.y);
    float x[rowVoxels];
    Point sum[rowVoxels];
#pragma unroll
    for (int k = 0; k < rowVoxels; ++k) {
        x[k] = grid.spacing[0] * static_cast<float>(first + k);
        sum[k] = {0, 0, 0};
    }
    for (int begin = 0; begin < count; begin += tileTerms) {
        const int held = min(tileTerms, count - begin);
        __syncthreads();
        if (static_cast<int>(threadIdx.x) < held)
            tile[threadIdx.x] = terms[begin + static_cast<int>(threadIdx.x)];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < held; ++j) {
            const Term term = tile[j];
            const float dy = term.y - y, dz = term.z - z, across = dy * dy + dz * dz;
#pragma unroll
            for (int k = 0; k < rowVoxels; ++k) {
                const float dx = term.x - x[k];
                float distance;
                asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(distance) : "f"(dx * dx + across));
                sum[k].x += term.w[0] * distance;
                sum[k].y += term.w[1] * distance;
                sum[k].z += term.w[2] * distance;
            }
        }
    }
    if (row >= static_cast<long long>(size.y) * size.z)
        return;
#pragma unroll
    for (int k = 0; k < rowVoxels; ++k) {
        if (first + k >= size.x)
            return;
        const long long i = row * size.x + first + k;
        const Point affine = tps::affineAt(grid.affine, {x[k], y, z});
        grid.out.u[i] = (affine.x + sum[k].x) / grid.spacing[0];
        grid.out.v[i] = (affine.y + sum[k].y) / grid.spacing[1];
        grid.out.w[i] = (affine.z + sum[k].z) / grid.spacing[2];
    }
}

} // namespace

void displacementOnGrid(const ThinPlateSpline& spline, Vec3 spacing, FieldView<float> displacement,
                        const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    const Size3 size = displacement.size;
    const std::size_t voxels = size.voxels();
    ThinPlateSpline change = spline;
    for (std::size_t c = 0; c < 3; ++c)
        change.affine[c][c + 1] -= 1;
    const std::vector<Term> terms = tps::termsOf(spline);
    const Buffer<Term> onDevice = uploaded(terms, "thin-plate grid, terms", cuda);
    Buffer<float> field = pool.acquire<float>(3 * voxels, "thin-plate grid, displacement");
    const Grid grid{{field.data(), size},
                    {static_cast<float>(spacing.x), static_cast<float>(spacing.y),
                     static_cast<float>(spacing.z)},
                    tps::affineOf(change),
                    divideUp(size.x, rowVoxels)};
    loggedCall(ctx, "transform", [&](LaunchLog& log) {
        constexpr double flopsOfTerm = 11; // and a root
        const double pairs = static_cast<double>(voxels) * static_cast<double>(terms.size());
        log.launch(
            {"thin plate, grid", 12.0 * static_cast<double>(voxels), flopsOfTerm * pairs},
            displacementKernel,
            threadsOver(static_cast<std::size_t>(grid.groups) * static_cast<std::size_t>(size.y) *
                            static_cast<std::size_t>(size.z),
                        tileTerms),
            grid, onDevice.data(), static_cast<int>(terms.size()));
    });
    for (int axis = 0; axis < 3; ++axis)
        cuda.download(field.data() + static_cast<std::size_t>(axis) * voxels,
                      displacement.component(axis), voxels * sizeof(float), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
}

} // namespace systole::gpu
