// The transposed operator, one axis at a time: sums over z in columns of threads that read each
// voxel once, coalesced, then over y, then over x, each with a tile-th of the values before. The
// order of every sum is that of the voxels.
#include "compute/ops/bspline_device.cuh"
#include "compute/ops/bspline_field_check.h"

#include <algorithm>

namespace systole {
namespace {

using bspline::AxisConstants;

/// An array [outer][n][inner] whose middle axis is summed to `points` control points.
struct SummedAxis {
    int inner;
    ControlAxis along;
    int points; ///< stored result of along.points()
    std::size_t outer;

    SummedAxis(int innerCount, const ControlAxis& axis, std::size_t outerCount)
        : inner(innerCount), along(axis), points(axis.points()), outer(outerCount) {}
};

/// Where the values of the outermost index lie: three components, each `outer`/3 of them.
template <typename T>
struct Outer {
    T* of[3];
    std::size_t outerOfEach;

    __device__ T* at(std::size_t outer, std::size_t stride) const {
        const std::size_t c = outer / outerOfEach;
        return of[c] + (outer - c * outerOfEach) * stride;
    }
};
using Input = Outer<const float>;
using Output = Outer<float>;

/// A thread has one inner index and marches along n. The sums of the four points that a tile
/// belongs to lie in registers; after each tile the lowest is complete. `chunk` points per thread;
/// the three tiles before belong to them, too.
__global__ void __launch_bounds__(1024)
    marchKernel(const __grid_constant__ SummedAxis axis, const __grid_constant__ AxisConstants w,
                const __grid_constant__ Input in, const __grid_constant__ Output out, int chunk) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (x >= axis.inner)
        return;
    const std::size_t inner = axis.inner;
    const float* const column = in.at(blockIdx.y, inner * axis.along.voxels) + x;
    float* const sums = out.at(blockIdx.y, inner * axis.points) + x;
    const int begin = static_cast<int>(blockIdx.z) * chunk, end = min(begin + chunk, axis.points),
              tiles = axis.points - 3;
    float a = 0, b = 0, c = 0, d = 0;
    for (int t = max(begin - 3, 0); t < end; ++t) {
        if (t < tiles) {
            const int first = t * axis.along.tile - axis.along.lead(), from = max(-first, 0);
            const int voxels = min(axis.along.tile, axis.along.voxels - first);
            const float* p = column + inner * (first + from);
#pragma unroll 4
            for (int v = from; v < voxels; ++v, p += inner) {
                const float4 weight = w.of[v];
                const float value = *p;
                a = fmaf(weight.x, value, a);
                b = fmaf(weight.y, value, b);
                c = fmaf(weight.z, value, c);
                d = fmaf(weight.w, value, d);
            }
        }
        if (t >= begin)
            sums[inner * t] = a;
        a = b;
        b = c;
        c = d;
        d = 0;
    }
}

/// A thread per sum, for the axis along which values are contiguous.
__global__ void __launch_bounds__(1024)
    gatherKernel(const __grid_constant__ SummedAxis axis, const __grid_constant__ AxisConstants w,
                 const __grid_constant__ Input in, const __grid_constant__ Output out) {
    const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (point >= axis.points)
        return;
    const float* const row = in.at(blockIdx.y, axis.along.voxels);
    float sum = 0;
#pragma unroll
    for (int l = 3; l >= 0; --l) {
        const int first = (point - l) * axis.along.tile - axis.along.lead();
        const int voxels = min(axis.along.tile, axis.along.voxels - first);
        for (int v = max(-first, 0); v < voxels; ++v) {
            const float4 weight = w.of[v];
            sum = fmaf(l == 0   ? weight.x
                       : l == 1 ? weight.y
                       : l == 2 ? weight.z
                                : weight.w,
                       row[first + v], sum);
        }
    }
    out.at(blockIdx.y, axis.points)[point] = sum;
}

/// Rows of blocks of a launch; more of them take another launch.
constexpr std::size_t maxRows = 65535;

KernelNote noteOf(const char* name, const SummedAxis& axis, double rows) {
    const double read = rows * axis.inner * axis.along.voxels,
                 written = rows * axis.inner * axis.points;
    return {name, 4 * (read + written), 8 * read};
}

/// Launches over all outer indices of one component, maxRows at a time.
template <typename Launch>
void overRows(const SummedAxis& axis, const float* in, float* out, const Launch& launch) {
    const std::size_t inner = static_cast<std::size_t>(axis.inner);
    for (std::size_t first = 0; first < axis.outer; first += maxRows) {
        const std::size_t rows = std::min(maxRows, axis.outer - first);
        const float* const from = in + first * inner * static_cast<std::size_t>(axis.along.voxels);
        float* const to = out + first * inner * static_cast<std::size_t>(axis.points);
        launch(rows, Input{{from, from, from}, rows}, Output{{to, to, to}, rows});
    }
}

void march(LaunchLog& log, const char* name, const SummedAxis& axis, const AxisConstants& weights,
           const Input& in, const Output& out, std::size_t rows) {
    const int threads = gpu::threadsOfBlock(log, name, 128);
    const auto blocks = static_cast<unsigned>(gpu::divideUp(axis.inner, threads));
    // Enough threads to hide the loads' latency; each further chunk reads three tiles again.
    constexpr double wanted = 2 * 132 * 1024;
    const double columns = static_cast<double>(axis.inner) * static_cast<double>(rows);
    const int chunks =
        std::clamp(static_cast<int>(wanted / columns), 1, std::max(1, axis.points / 8));
    const int chunk = gpu::divideUp(axis.points, chunks);
    const LaunchShape shape{dim3(blocks, static_cast<unsigned>(rows),
                                 static_cast<unsigned>(gpu::divideUp(axis.points, chunk))),
                            dim3(static_cast<unsigned>(threads))};
    log.launch(noteOf(name, axis, static_cast<double>(rows)), marchKernel, shape, axis, weights, in,
               out, chunk);
}

} // namespace

std::size_t bsplineGradientScratchOnDevice(const ControlGrid& grid) {
    const Size3 n = grid.image, p = grid.points();
    return 3 * (Size3{n.x, n.y, p.z}.voxels() + Size3{n.x, p.y, p.z}.voxels());
}

void gpu::bsplineGradient(LaunchLog& log, FieldView<const float> perVoxel,
                          ControlPointsView<float> sums, float* scratch) {
    const Size3 n = perVoxel.size, p = sums.values.size;
    const ControlGrid& grid = sums.grid;
    float* const overZ = scratch;
    const std::size_t planes = Size3{n.x, n.y, p.z}.voxels();
    float* const overY = scratch + 3 * planes;

    const SummedAxis z(n.x * n.y, grid.axis(2), 3);
    march(log, "bspline gradient z", z, AxisConstants(z.along),
          {{perVoxel.u, perVoxel.v, perVoxel.w}, 1},
          {{overZ, overZ + planes, overZ + 2 * planes}, 1}, 3);

    const SummedAxis y(n.x, grid.axis(1), 3 * static_cast<std::size_t>(p.z));
    overRows(y, overZ, overY, [&](std::size_t rows, const Input& in, const Output& out) {
        march(log, "bspline gradient y", y, AxisConstants(y.along), in, out, rows);
    });

    const auto each = static_cast<std::size_t>(p.y) * static_cast<std::size_t>(p.z);
    const SummedAxis x(1, grid.axis(0), each);
    for (int c = 0; c < 3; ++c)
        overRows(
            x, overY + static_cast<std::size_t>(c) * each * static_cast<std::size_t>(n.x),
            sums.values.component(c), [&](std::size_t rows, const Input& in, const Output& out) {
                const int threads = 64;
                log.launch(noteOf("bspline gradient x", x, static_cast<double>(rows)), gatherKernel,
                           LaunchShape{dim3(static_cast<unsigned>(divideUp(p.x, threads)),
                                            static_cast<unsigned>(rows)),
                                       dim3(static_cast<unsigned>(threads))},
                           x, AxisConstants(x.along), in, out);
            });
}

void bsplineGradientOnDevice(FieldView<const float> perVoxel, ControlPointsView<float> sums,
                             const ExecContext& ctx) {
    bspline::checkOnDevice(sums.grid, sums.values.size, perVoxel.size);
    Buffer<float> scratch = ctx.cuda->devicePool().acquire<float>(
        bsplineGradientScratchOnDevice(sums.grid), "sums of a B-spline's gradient");
    loggedCall(ctx, "solve",
               [&](LaunchLog& log) { gpu::bsplineGradient(log, perVoxel, sums, scratch.data()); });
    ctx.cuda->synchronize(CudaStream::Compute); // the scratch must outlive the kernels
}

} // namespace systole
