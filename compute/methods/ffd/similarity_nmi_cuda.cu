#include "compute/methods/ffd/similarity_cuda.cuh"
#include "compute/methods/ffd/similarity_nmi.h"
#include "compute/methods/ffd/similarity_nmi_math.h"

#include <algorithm>

namespace systole::gpu {
namespace {

using Count = unsigned long long;

/// Every block counts at most nmiVoxels voxels in shared memory, exactly, and adds them.
__global__ void countKernel(const float* fixed, const float* warped, const float* weight,
                            const BinScale fixedScale, const BinScale warpedScale,
                            std::size_t voxels, Count* histogram) {
    __shared__ unsigned counts[nmiBins * nmiBins];
    for (unsigned cell = threadIdx.x; cell < nmiBins * nmiBins; cell += blockDim.x)
        counts[cell] = 0;
    __syncthreads();
    const std::size_t perBlock = (voxels + gridDim.x - 1) / gridDim.x;
    const std::size_t begin = blockIdx.x * perBlock;
    const std::size_t end = begin + perBlock < voxels ? begin + perBlock : voxels;
    for (std::size_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        const float w = weight[i];
        if (!(w > 0))
            continue;
        const int row = static_cast<int>(floorf(fixedScale.position(fixed[i]) + 0.5f));
        const float position = warpedScale.position(warped[i]);
        const auto bin = static_cast<int>(position);
        const ParzenWindow window(position - static_cast<float>(bin));
        for (int k = 0; k < 4; ++k)
            atomicAdd(&counts[row * nmiBins + bin - 1 + k],
                      static_cast<unsigned>(__float2int_rn(nmiUnit * w * window.weight[k])));
    }
    __syncthreads();
    for (unsigned cell = threadIdx.x; cell < nmiBins * nmiBins; cell += blockDim.x)
        if (counts[cell] > 0)
            atomicAdd(&histogram[cell], static_cast<Count>(counts[cell]));
}

__global__ void derivativeKernel(const float* fixed, const float* warped, const float* weight,
                                 const BinScale fixedScale, const BinScale warpedScale,
                                 const float* table, std::size_t voxels, float* out) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= voxels)
        return;
    const int row = static_cast<int>(floorf(fixedScale.position(fixed[i]) + 0.5f));
    const float position = warpedScale.position(warped[i]);
    const auto bin = static_cast<int>(position);
    const float t = position - static_cast<float>(bin);
    float sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += table[row * nmiBins + bin - 1 + k] * ParzenWindow::derivative(k, t);
    const bool limited = position <= warpedScale.low || position >= warpedScale.high;
    out[i] = limited ? 0.0f : -warpedScale.scale * weight[i] * sum;
}

class Nmi : public DeviceSimilarity {
public:
    explicit Nmi(Workspace& space)
        : space_(space)
        , histogram_(space.add<Count>("joint histogram", nmiBins * nmiBins))
        , table_(space.add<float>("histogram's derivative", nmiBins * nmiBins)) {}

    void begin(const Similarity::Level& level, FfdSums*, const GridSum&, LaunchLog& log) override {
        CudaContext& cuda = log.cuda();
        if (pinned_.empty()) {
            pinned_ = cuda.pinnedPool().acquire<Count>(nmiBins * nmiBins, "joint histogram");
            pinnedTable_ = cuda.pinnedPool().acquire<float>(nmiBins * nmiBins, "derivative");
        }
        const auto onHost = [&](VolumeView<const float> image) {
            std::vector<float> voxels(image.voxels());
            cuda.download(image.data, voxels.data(), sizeof(float) * voxels.size(),
                          CudaStream::Compute);
            cuda.synchronize(CudaStream::Compute);
            return voxels;
        };
        const std::vector<float> fixed = onHost(level.fixed), moving = onHost(level.moving);
        fixedBins_ = fixedBins({fixed.data(), level.fixed.size});
        warpedBins_ = warpedBins({moving.data(), level.moving.size});
    }

    void enqueue(const ComparedImages& images, FfdSums* sums, const GridSum& room,
                 LaunchLog& log) override {
        const std::size_t n = images.fixed.voxels();
        CudaContext& cuda = log.cuda();
        constexpr std::size_t bytes = sizeof(Count) * nmiBins * nmiBins;
        sumMoment({images.weight.data, nullptr, images.weight.data, 0, 1}, n, room,
                  &sums->similarity, log);
        cuda.zero(space_.data(histogram_), bytes, CudaStream::Compute);
        // Enough blocks to fill a device, and for the counts to fit.
        const std::size_t blocks =
            std::max((n + nmiVoxels - 1) / nmiVoxels, std::min<std::size_t>(528, n / 1024 + 1));
        log.launch({"joint histogram", 12.0 * static_cast<double>(n)}, countKernel,
                   {dim3(static_cast<unsigned>(blocks)), dim3(512)}, images.fixed.data,
                   images.warped.data, images.weight.data, fixedBins_, warpedBins_, n,
                   space_.data(histogram_));
        cuda.download(space_.data(histogram_), pinned_.data(), bytes, CudaStream::Compute);
    }

    double value(const FfdSums&) override {
        JointHistogram histogram;
        std::copy_n(pinned_.data(), histogram.size(), histogram.begin());
        const NmiResult result = nmiOf(histogram);
        std::copy(result.derivative.begin(), result.derivative.end(), pinnedTable_.data());
        return -result.nmi;
    }

    void derivative(const ComparedImages& images, VolumeView<float> out, LaunchLog& log) override {
        const std::size_t n = out.voxels();
        log.cuda().upload(pinnedTable_.data(), space_.data(table_),
                          sizeof(float) * nmiBins * nmiBins, CudaStream::Compute);
        log.launch({"derivative of nmi", 16.0 * static_cast<double>(n)}, derivativeKernel,
                   threadsOver(n), images.fixed.data, images.warped.data, images.weight.data,
                   fixedBins_, warpedBins_, space_.data(table_), n, out.data);
    }

    double known(double energy) const override { return -energy; }

private:
    Workspace& space_;
    Workspace::Block<Count> histogram_;
    Workspace::Block<float> table_;
    Buffer<Count> pinned_;
    Buffer<float> pinnedTable_; ///< written while no copy of it is under way: value() waits
    BinScale fixedBins_, warpedBins_;
};

} // namespace

std::unique_ptr<DeviceSimilarity> makeNmiOnDevice(Workspace& space) {
    return std::make_unique<Nmi>(space);
}

} // namespace systole::gpu
