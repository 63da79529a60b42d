#include "compute/methods/ffd/similarity_cuda.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

__global__ void momentKernel(const Moment m, std::size_t voxels, double unit, GridSum room,
                             double2* out) {
    double2 sum{0, 0};
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
         i < voxels; i += gridDim.x * static_cast<std::size_t>(blockDim.x)) {
        const float x = m.a[i] - (m.b ? m.b[i] : 0.0f) - m.shift;
        const float w = m.weight ? m.weight[i] : 1.0f;
        sum.x += m.power == 2 ? weighedSquare(x, w, unit) : weighedGray(x, w, unit);
        sum.y += static_cast<double>(onSumGrid(w));
    }
    double2 total;
    if (gridSum(sum, room, total))
        *out = total;
}

__global__ void differenceKernel(const float* a, const float* b, const float* weight, float scale,
                                 std::size_t voxels, float* out) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < voxels)
        out[i] = scale * weight[i] * (a[i] - b[i]);
}

class Ssd : public DeviceSimilarity {
public:
    void begin(const Similarity::Level& level, FfdSums* sums, const GridSum& room,
               LaunchLog& log) override {
        const std::size_t n = level.fixed.voxels();
        const auto moment = [&](float shift, int power) {
            sumMoment({level.fixed.data, nullptr, level.fixedMask.data, shift, power}, n, room,
                      &sums->similarity, log);
            const double2 found = downloadSums(sums, log).similarity;
            return found.y > 0 ? found.x / found.y : 0;
        };
        const double mean = moment(0, 1);
        variance_ = std::max(1.0, moment(static_cast<float>(mean), 2));
    }

    void enqueue(const ComparedImages& images, FfdSums* sums, const GridSum& room,
                 LaunchLog& log) override {
        sumMoment({images.warped.data, images.fixed.data, images.weight.data, 0, 2},
                  images.fixed.voxels(), room, &sums->similarity, log);
    }

    double value(const FfdSums& sums) override {
        if (!(sums.similarity.y > 0))
            return 0;
        scale_ = 1 / (sums.similarity.y * variance_);
        return scale_ * sums.similarity.x;
    }

    void derivative(const ComparedImages& images, VolumeView<float> out, LaunchLog& log) override {
        const std::size_t n = out.voxels();
        log.launch({"derivative of ssd", 16.0 * static_cast<double>(n)}, differenceKernel,
                   threadsOver(n), images.warped.data, images.fixed.data, images.weight.data,
                   static_cast<float>(2 * scale_), n, out.data);
    }

    double known(double energy) const override { return energy; }

private:
    double variance_ = 1, scale_ = 0;
};

} // namespace

std::unique_ptr<DeviceSimilarity> makeSsdOnDevice() { return std::make_unique<Ssd>(); }

void sumMoment(const Moment& moment, std::size_t voxels, const GridSum& room, double2* out,
               LaunchLog& log) {
    log.launch({"sum of moments", 12.0 * static_cast<double>(voxels)}, momentKernel,
               stridesOver(voxels), moment, voxels,
               moment.power == 2 ? squaresUnit(voxels) : graysUnit(voxels), room, out);
}

FfdSums downloadSums(const FfdSums* sums, LaunchLog& log) {
    CudaContext& cuda = log.cuda();
    Buffer<FfdSums> host = cuda.pinnedPool().acquire<FfdSums>(1, "sums");
    cuda.download(sums, host.data(), sizeof(FfdSums), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return *host.data();
}

} // namespace systole::gpu
