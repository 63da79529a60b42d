#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/weighted_sum.h"

namespace systole {
namespace {

struct DeviceSummands {
    const float* values[maxSummands];
    float weight[maxSummands];
    int count;
};

/// One thread per value. Products and sums are rounded separately, as on the CPU.
__global__ void weightedSumKernel(const __grid_constant__ DeviceSummands summands, std::size_t size,
                                  float* __restrict__ out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    float sum = 0;
    for (int k = 0; k < summands.count; ++k)
        sum = __fadd_rn(sum, __fmul_rn(summands.weight[k], summands.values[k][i]));
    out[i] = sum;
}

} // namespace

void weightedSumOnDevice(std::span<const Summand> summands, std::span<float> out,
                         const ExecContext& ctx) {
    checkWeightedSum(summands, out);
    DeviceSummands onDevice{};
    for (const Summand& summand : summands) {
        onDevice.values[onDevice.count] = summand.values.data();
        onDevice.weight[onDevice.count++] = summand.weight;
    }
    loggedCall(ctx, "trajectory", [&](LaunchLog& log) {
        const auto size = static_cast<double>(out.size());
        const auto count = static_cast<double>(summands.size());
        const KernelCost cost{.add = count,
                              .multiply = count,
                              .integer = 12 + 4 * count,
                              .globalLoads = count,
                              .globalStores = 1};
        const char* const name = "weighted sum";
        log.launch({name, 4 * (count + 1) * size, 2 * count * size, cost}, weightedSumKernel,
                   gpu::threadsOver(out.size(), log, name), onDevice, out.size(), out.data());
    });
}

} // namespace systole
