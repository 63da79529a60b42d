#include "compute/cuda/kernel_support.cuh"
#include "compute/surface/narrow_band.h"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

namespace systole {
namespace {

struct Counts {
    unsigned inBand;
    unsigned firstBad; ///< offset of the first value that is no finite number
};

struct InBand {
    const float* phi;
    float delta;
    __device__ bool operator()(int i) const { return fabsf(phi[i]) <= delta; }
};

__global__ void countKernel(const InBand inBand, unsigned voxels, Counts* counts) {
    unsigned own = 0, bad = 0xffffffffu;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < voxels;
         i += gridDim.x * blockDim.x) {
        own += inBand(static_cast<int>(i)) ? 1 : 0;
        if (!isfinite(inBand.phi[i]))
            bad = min(bad, i);
    }
    if (own > 0)
        atomicAdd(&counts->inBand, own);
    if (bad != 0xffffffffu)
        atomicMin(&counts->firstBad, bad);
}

} // namespace

Buffer<int> narrowBandOnDevice(VolumeView<const float> phi, float delta, const ExecContext& ctx) {
    checkBandSize(phi.size);
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    const auto voxels = static_cast<int>(phi.voxels());
    const InBand inBand{phi.data, delta};
    Buffer<Counts> onDevice = pool.acquire<Counts>(1, "narrow band, count");
    Counts counts{0, 0xffffffffu};
    cuda.upload(&counts, onDevice.data(), sizeof counts, CudaStream::Compute);
    Buffer<int> band;
    loggedCall(ctx, "band", [&](LaunchLog& log) {
        const double bytes = 4.0 * voxels;
        constexpr std::size_t maxThreads = 132 * 2048;
        log.launch({"narrow band, count", bytes}, countKernel,
                   gpu::threadsOver(std::min(phi.voxels(), maxThreads)), inBand,
                   static_cast<unsigned>(voxels), onDevice.data());
        cuda.download(onDevice.data(), &counts, sizeof counts, CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        if (counts.firstBad != 0xffffffffu)
            refuseNotFinite(phi.size, counts.firstBad);
        if (counts.inBand == 0)
            refuseEmptyBand(delta);
        band = pool.acquire<int>(counts.inBand, "narrow band");
        const thrust::counting_iterator<int> offsets(0);
        auto* const selected = reinterpret_cast<int*>(&onDevice.data()->inBand);
        std::size_t bytesOfScan = 0;
        cudaCheck(cub::DeviceSelect::If(nullptr, bytesOfScan, offsets, band.data(), selected,
                                        voxels, inBand, log.stream()),
                  "planning the narrow band");
        Buffer<std::byte> scan = pool.acquire<std::byte>(bytesOfScan, "narrow band, scan");
        log.begin({"narrow band, select", bytes + 4.0 * counts.inBand}, nullptr, {});
        cudaCheck(cub::DeviceSelect::If(scan.data(), bytesOfScan, offsets, band.data(), selected,
                                        voxels, inBand, log.stream()),
                  "narrow band");
        log.end();
    });
    return band;
}

} // namespace systole
