#include "compute/core/error.h"
#include "compute/cuda/dense_solver.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/uploaded.h"
#include "compute/landmarks/thin_plate_solve_cuda.h"

#include <algorithm>
#include <vector>

namespace systole::gpu {
namespace {

constexpr int maxColumns = 4, warpThreads = 32;

/// n landmarks, one coordinate after another.
struct Places {
    const double* at;
    int n;

    __device__ double distance(int i, int j) const {
        const double x = at[i] - at[j], y = at[n + i] - at[n + j],
                     z = at[2 * n + i] - at[2 * n + j];
        return sqrt(x * x + y * y + z * z);
    }
};

/// A warp per row.
__global__ void productKernel(const Places from, const double* relaxation, const double* right,
                              int columns, double* out) {
    const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / warpThreads),
              lane = static_cast<int>(threadIdx.x % warpThreads);
    if (row >= from.n)
        return;
    double sum[maxColumns] = {};
    for (int j = lane; j < from.n; j += warpThreads) {
        const double k = j == row ? -relaxation[row] : from.distance(row, j);
        for (int c = 0; c < columns; ++c)
            sum[c] += k * right[c * from.n + j];
    }
    for (int c = 0; c < columns; ++c) {
        for (int step = warpThreads / 2; step > 0; step /= 2)
            sum[c] += __shfl_xor_sync(0xffffffffu, sum[c], step);
        if (lane == 0)
            out[c * from.n + row] = sum[c];
    }
}

/// The lower triangle of (D − K)₂₂; a thread per entry, rows along x.
__global__ void matrixKernel(const Places from, const double* relaxation, const double* v,
                             const double* y, int rank, double* out) {
    const int free = from.n - rank, row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
              column = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (row >= free || column > row)
        return;
    const int i = row + rank, j = column + rank;
    double entry = i == j ? relaxation[i] : -from.distance(i, j);
    for (int c = 0; c < rank; ++c)
        entry += v[c * from.n + i] * y[c * from.n + j] + y[c * from.n + i] * v[c * from.n + j];
    out[static_cast<std::size_t>(column) * static_cast<std::size_t>(free) +
        static_cast<std::size_t>(row)] = entry;
}

__global__ void diagonalKernel(const double* matrix, int n, double* out) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = matrix[static_cast<std::size_t>(i) * static_cast<std::size_t>(n + 1)];
}

} // namespace

void thinPlateProduct(std::span<const double> from, std::span<const double> relaxation,
                      std::span<const double> right, int columns, std::span<double> out,
                      const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    const int n = static_cast<int>(relaxation.size());
    const Buffer<double> places = uploaded(from, "thin-plate fit, landmarks", cuda),
                         kappas = uploaded(relaxation, "thin-plate fit, relaxations", cuda),
                         factor = uploaded(right, "thin-plate fit, factor", cuda);
    Buffer<double> product =
        cuda.devicePool().acquire<double>(out.size(), "thin-plate fit, product");
    loggedCall(ctx, "fit", [&](LaunchLog& log) {
        const double entries = static_cast<double>(n) * n;
        log.launch(
            {"thin plate, product", 8.0 * (6 + 2 * columns) * n, (10.0 + 2 * columns) * entries},
            productKernel, threadsOver(static_cast<std::size_t>(n) * warpThreads),
            Places{places.data(), n}, kappas.data(), factor.data(), columns, product.data());
    });
    cuda.download(product.data(), out.data(), out.size_bytes(), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
}

double solveThinPlate(std::span<const double> from, std::span<const double> relaxation,
                      std::span<const double> v, std::span<const double> y, int rank,
                      std::span<double> gamma, const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    const DenseSolver* solver = cuda.denseSolver();
    if (!solver)
        throw ComputeError("a thin-plate fit on the device needs cuSOLVER");
    const int n = static_cast<int>(relaxation.size()), free = n - rank;
    const std::size_t rows = static_cast<std::size_t>(free);
    const Buffer<double> places = uploaded(from, "thin-plate fit, landmarks", cuda),
                         kappas = uploaded(relaxation, "thin-plate fit, relaxations", cuda),
                         left = uploaded(v, "thin-plate fit, factor", cuda),
                         right = uploaded(y, "thin-plate fit, factor", cuda);
    Buffer<double> matrix = pool.acquire<double>(rows * rows, "thin-plate fit, equations"),
                   solution = uploaded(gamma, "thin-plate fit, weights", cuda),
                   pivots = pool.acquire<double>(rows, "thin-plate fit, pivots");
    loggedCall(ctx, "fit", [&](LaunchLog& log) {
        const double entries = 0.5 * static_cast<double>(free) * free;
        constexpr unsigned tile = 16;
        const auto blocks = static_cast<unsigned>(divideUp(free, static_cast<int>(tile)));
        log.launch({"thin plate, equations", 8 * entries, (10.0 + 4 * rank) * entries},
                   matrixKernel, LaunchShape{dim3(blocks, blocks), dim3(tile, tile)},
                   Places{places.data(), n}, kappas.data(), left.data(), right.data(), rank,
                   matrix.data());
    });
    if (!solver->solvePositive(matrix.data(), free, solution.data(), 3, cuda))
        return 0;
    loggedCall(ctx, "fit", [&](LaunchLog& log) {
        log.launch({"thin plate, pivots", 16.0 * free}, diagonalKernel, threadsOver(rows),
                   matrix.data(), free, pivots.data());
    });
    std::vector<double> diagonal(rows);
    cuda.download(pivots.data(), diagonal.data(), rows * sizeof(double), CudaStream::Compute);
    cuda.download(solution.data(), gamma.data(), gamma.size_bytes(), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    const double least = *std::min_element(diagonal.begin(), diagonal.end());
    return least * least;
}

} // namespace systole::gpu
