#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/costs.h"
#include "compute/methods/clg/solver/system_cuda.cuh"

namespace systole::clg {
namespace {

__device__ inline Voxel voxelAt(Size3 size, std::size_t i) {
    const auto width = static_cast<std::size_t>(size.x), height = static_cast<std::size_t>(size.y);
    return {static_cast<int>(i % width), static_cast<int>(i / width % height),
            static_cast<int>(i / width / height)};
}

template <typename View>
__global__ void addDivergenceToRightHandSide(const View view, Planes<const float> w0,
                                             Planes<float> b) {
    const View s = view.loaded();
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i >= s.size().voxels())
        return;
    const GlobalField<Load::Cached> field{w0};
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        Equation e;
        addDivergence(s, field, voxelAt(s.size(), i), k, e);
        b.plane[k][i] += e.diagonal * w0.plane[k][i] - e.rest;
    }
}

/// Computes tᵀ(At − b) − bᵀt, as clgEnergy does.
template <typename View>
__global__ void sumEnergy(const View view, Planes<const float> t, double* result) {
    __shared__ double blockSum;
    const View s = view.loaded();
    const GlobalField<Load::Cached> field{t};
    double sum = 0;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < s.size().voxels();
         i += std::size_t{blockDim.x} * gridDim.x)
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const Equation e = equation(s, field, voxelAt(s.size(), i), k);
            const double value = t.plane[k][i];
            const double b = coefficientAt(s, 6 + static_cast<std::size_t>(k), i);
            sum += value * (e.diagonal * value - e.rest) - b * value;
        }
    if (threadIdx.x == 0)
        blockSum = 0;
    __syncthreads();
    for (int lane = warpSize / 2; lane > 0; lane /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, lane);
    if (threadIdx.x % static_cast<unsigned>(warpSize) == 0)
        atomicAdd(&blockSum, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(result, blockSum);
}

} // namespace

void addDivergenceOf(const DeviceSystem& system, const float* const (&w0)[3], LaunchLog& log) {
    const auto voxels = static_cast<double>(system.voxels());
    KernelNote note{"divergence of field", 36 * voxels};
    const LaunchShape shape = gpu::threadsOver(system.voxels(), log, note.kernel);
    note.cost = gpu::perThread(shape, voxels, cost::divergence(system.stencil));
    withSystem<Load::Cached>(system, {}, [&](auto view) {
        if constexpr (decltype(view)::divergence)
            log.launch(
                note, addDivergenceToRightHandSide<decltype(view)>, shape, view,
                Planes<const float>{w0[0], w0[1], w0[2]},
                Planes<float>{system.coefficient[6], system.coefficient[7], system.coefficient[8]});
    });
}

void energy(const DeviceSystem& system, const float* const (&t)[3], double* result,
            LaunchLog& log) {
    cudaCheck(cudaMemsetAsync(result, 0, sizeof(double), log.stream()), "clearing a sum");
    const auto voxels = static_cast<double>(system.voxels());
    KernelNote note{"energy", 48 * voxels};
    LaunchShape shape = gpu::threadsOver(system.voxels(), log, note.kernel);
    shape.grid.x = std::min(shape.grid.x, 2048u);
    note.cost = gpu::perThread(shape, voxels, cost::equations(system.stencil, system.beta > 0));
    withSystem<Load::Cached>(system, {}, [&](auto view) {
        log.launch(note, sumEnergy<decltype(view)>, shape, view,
                   Planes<const float>{t[0], t[1], t[2]}, result);
    });
}

} // namespace systole::clg
