#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/quantiles_cuda.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

constexpr unsigned blockThreads = 512, maxBlocks = 264;

struct Ranks {
    unsigned of[2];
};

/// Counts the next digit of the keys that begin with the digits found.
__device__ void countDigits(const float* values, std::size_t samples, std::size_t stride, int digit,
                            QuantileSearch* search) {
    __shared__ unsigned counts[2 * quantile::cells];
    const unsigned searches = digit == 0 ? 1 : 2;
    for (unsigned cell = threadIdx.x; cell < searches * quantile::cells; cell += blockDim.x)
        counts[cell] = 0;
    __syncthreads();
    const unsigned found[2] = {search->found[0], search->found[1]};
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
         i < samples; i += gridDim.x * static_cast<std::size_t>(blockDim.x)) {
        const std::uint32_t key = quantile::keyOf(values[i * stride]);
        for (unsigned n = 0; n < searches; ++n)
            if (quantile::beginsAs(key, found[n], digit))
                atomicAdd(&counts[n * quantile::cells + quantile::digitOf(key, digit)], 1u);
    }
    __syncthreads();
    unsigned* const all = &search->counts[0][0];
    for (unsigned cell = threadIdx.x; cell < searches * quantile::cells; cell += blockDim.x)
        if (counts[cell] > 0)
            atomicAdd(&all[cell], counts[cell]);
}

/// Whether this is the last block to come here; what the others wrote before is then visible.
__device__ bool isLastBlock(unsigned* arrived) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    __threadfence();
    return last;
}

/// A warp finds the digit below whose end the rank lies, and the rank among its keys.
__device__ void pickDigit(const unsigned* counts, int digit, unsigned rank, unsigned* found,
                          unsigned* next) {
    constexpr unsigned share = quantile::cells / 32;
    const unsigned lane = threadIdx.x % 32;
    unsigned own = 0;
    for (unsigned cell = 0; cell < share; ++cell)
        own += __ldcg(&counts[lane * share + cell]);
    unsigned until = own;
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned before = __shfl_up_sync(0xffffffffu, until, step);
        if (lane >= step)
            until += before;
    }
    unsigned passed = until - own;
    if (rank < passed || rank >= until)
        return;
    unsigned cell = lane * share;
    for (; rank >= passed + __ldcg(&counts[cell]); ++cell)
        passed += __ldcg(&counts[cell]);
    *found |= cell << quantile::shiftOf(digit);
    *next = rank - passed;
}

__global__ void digitKernel(const float* values, std::size_t samples, std::size_t stride,
                            const Ranks ranks, int digit, QuantileSearch* search) {
    countDigits(values, samples, stride, digit, search);
    if (!isLastBlock(&search->arrived))
        return;
    const unsigned n = threadIdx.x / 32;
    if (n < 2)
        pickDigit(search->counts[digit == 0 ? 0 : n], digit,
                  digit == 0 ? ranks.of[n] : search->rank[n], &search->found[n], &search->rank[n]);
    __syncthreads();
    unsigned* const all = &search->counts[0][0];
    for (unsigned cell = threadIdx.x; cell < 2 * quantile::cells; cell += blockDim.x)
        all[cell] = 0;
    if (threadIdx.x == 0)
        search->arrived = 0;
}

__global__ void beginKernel(QuantileSearch* search) {
    search->found[0] = search->found[1] = 0;
    search->least = ~0u;
    search->most = 0;
}

__global__ void extremesKernel(const float* values, std::size_t count, QuantileSearch* search) {
    unsigned least = ~0u, most = 0;
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
         i += gridDim.x * static_cast<std::size_t>(blockDim.x)) {
        const std::uint32_t key = quantile::keyOf(values[i]);
        least = min(least, key);
        most = max(most, key);
    }
    for (unsigned lane = 16; lane > 0; lane /= 2) {
        least = min(least, __shfl_down_sync(0xffffffffu, least, lane));
        most = max(most, __shfl_down_sync(0xffffffffu, most, lane));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(&search->least, least);
        atomicMax(&search->most, most);
    }
}

LaunchShape shapeOver(std::size_t items) {
    const std::size_t blocks = (items + blockThreads - 1) / blockThreads;
    return {dim3(static_cast<unsigned>(std::min<std::size_t>(blocks, maxBlocks))),
            dim3(blockThreads)};
}

/// Two keys from the device, as values.
QuantilePair downloadPair(const unsigned* keys, LaunchLog& log) {
    CudaContext& cuda = log.cuda();
    Buffer<unsigned> host = cuda.pinnedPool().acquire<unsigned>(2, "quantiles");
    cuda.download(keys, host.data(), 2 * sizeof(unsigned), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return {quantile::valueOf(host.data()[0]), quantile::valueOf(host.data()[1])};
}

} // namespace

QuantilePair quantilesOf(const float* values, std::size_t count, double low, double high,
                         QuantileSearch* search, LaunchLog& log) {
    const std::size_t samples = quantile::sampleCount(count),
                      stride = quantile::sampleStride(count);
    const Ranks ranks{{static_cast<unsigned>(quantile::rankOf(low, samples)),
                       static_cast<unsigned>(quantile::rankOf(high, samples))}};
    log.launch({"begin quantiles"}, beginKernel, {dim3(1), dim3(1)}, search);
    for (int digit = 0; digit < quantile::digits; ++digit)
        log.launch({"quantiles", 4.0 * static_cast<double>(samples)}, digitKernel,
                   shapeOver(samples), values, samples, stride, ranks, digit, search);
    return downloadPair(search->found, log);
}

QuantilePair extremesOf(const float* values, std::size_t count, QuantileSearch* search,
                        LaunchLog& log) {
    log.launch({"begin quantiles"}, beginKernel, {dim3(1), dim3(1)}, search);
    log.launch({"extremes", 4.0 * static_cast<double>(count)}, extremesKernel, shapeOver(count),
               values, count, search);
    return downloadPair(&search->least, log);
}

} // namespace systole::gpu
