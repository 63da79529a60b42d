#include "compute/methods/ffd/similarity_cuda.cuh"
#include "compute/methods/ffd/similarity_lncc.h"
#include "compute/methods/ffd/window_sum_cuda.cuh"

#include <utility>

namespace systole::gpu {
namespace {

__device__ inline std::size_t voxel() {
    return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}

/// Sums of (1, a, a²) become 1 / sum, mean, variance.
__global__ void describeKernel(std::size_t n, float* sums) {
    const std::size_t i = voxel();
    if (i >= n)
        return;
    const float inverse = sums[i] > 1e-6f ? 1 / sums[i] : 0.0f;
    const float mean = sums[n + i] * inverse;
    sums[i] = inverse;
    sums[n + i] = mean;
    sums[2 * n + i] = fmaxf(0.0f, sums[2 * n + i] * inverse - mean * mean);
}

/// The sums become the derivative's factors; see LocalCorrelation in similarity_rows.cpp.
__global__ void correlationKernel(const float* fixed, const float* weight, std::size_t n,
                                  float* sums, GridSum room, double2* out) {
    double2 total{0, 0};
    for (std::size_t i = voxel(); i < n; i += gridDim.x * static_cast<std::size_t>(blockDim.x)) {
        const float inverse = fixed[i], meanA = fixed[n + i], w = weight[i];
        const float meanB = inverse * sums[i];
        const float varianceA = fixed[2 * n + i] + lnccFloor;
        const float varianceB = fmaxf(inverse * sums[n + i] - meanB * meanB, 0.0f) + lnccFloor;
        const float covariance = inverse * sums[2 * n + i] - meanA * meanB;
        const float ratio = covariance / (varianceA * varianceB);
        const float correlation = ratio * covariance;
        const float part = unexplainedPart(correlation);
        const float by = 2 * lnccPerLog * w * inverse / part;
        const float ofA = by * ratio, ofB = -by * (correlation / varianceB);
        sums[i] = ofA;
        sums[n + i] = ofB;
        sums[2 * n + i] = ofA * meanA + ofB * meanB;
        total.x += static_cast<double>(w * countedOfWindow(logf(part)));
        total.y += static_cast<double>(w);
    }
    double2 all;
    if (gridSum(total, room, all))
        *out = all;
}

__global__ void derivativeKernel(const float* counted, const float* a, const float* b,
                                 const float* factors, float scale, std::size_t n, float* out) {
    const std::size_t i = voxel();
    if (i < n)
        out[i] = scale * (counted ? counted[i] : 1.0f) *
                 (b[i] * factors[n + i] + (a[i] * factors[i] - factors[2 * n + i]));
}

class Lncc : public DeviceSimilarity {
public:
    Lncc(double window, Size3 finest, Workspace& space) : window_(window), space_(space) {
        for (auto* block : {&fixed_, &sums_, &scratch_})
            *block = space.add<float>("windows of the correlation", 3 * finest.voxels());
    }

    void begin(const Similarity::Level& level, FfdSums*, const GridSum&, LaunchLog& log) override {
        level_ = level;
        if (!level_.movingMasked)
            describeFixed(level_.fixedMask.data, log);
    }

    void enqueue(const ComparedImages& images, FfdSums* sums, const GridSum& room,
                 LaunchLog& log) override {
        const std::size_t n = images.fixed.voxels();
        if (level_.movingMasked)
            describeFixed(countedIn(images), log);
        sumWindows({countedIn(images), images.fixed.data, images.warped.data}, sums_, log);
        log.launch({"local correlation", 40.0 * static_cast<double>(n)}, correlationKernel,
                   stridesOver(n), space_.data(fixed_), images.weight.data, n, space_.data(sums_),
                   room, &sums->similarity);
    }

    double value(const FfdSums& sums) override {
        totalWeight_ = sums.similarity.y;
        return totalWeight_ > 0 ? -sums.similarity.x / totalWeight_ : 0;
    }

    void derivative(const ComparedImages& images, VolumeView<float> out, LaunchLog& log) override {
        const std::size_t n = out.voxels();
        sumWindows({.volumes = space_.data(sums_)}, sums_, log);
        const auto scale = static_cast<float>(totalWeight_ > 0 ? -1 / totalWeight_ : 0);
        log.launch({"derivative of lncc", 28.0 * static_cast<double>(n)}, derivativeKernel,
                   threadsOver(n), countedIn(images), images.fixed.data, images.warped.data,
                   space_.data(sums_), scale, n, out.data);
    }

    double known(double energy) const override { return -energy; }
    double unexplained(double energy) const override { return unexplainedShare(energy); }

private:
    const float* countedIn(const ComparedImages& images) const {
        return level_.movingMasked ? images.weight.data : level_.fixedMask.data;
    }

    void sumWindows(const WindowInput& input, Workspace::Block<float>& sums, LaunchLog& log) {
        const Vec3 sigma{window_ * level_.unit.x, window_ * level_.unit.y, window_ * level_.unit.z};
        windowSums(input, space_.data(sums), space_.data(scratch_), level_.fixed.size,
                   gaussianTapsFor(sigma), log);
        std::swap(sums, scratch_);
    }

    void describeFixed(const float* counted, LaunchLog& log) {
        const std::size_t n = level_.fixed.voxels();
        sumWindows({counted, level_.fixed.data}, fixed_, log);
        log.launch({"describe windows", 24.0 * static_cast<double>(n)}, describeKernel,
                   threadsOver(n), n, space_.data(fixed_));
    }

    double window_;
    Workspace& space_;
    Workspace::Block<float> fixed_, sums_, scratch_;
    Similarity::Level level_;
    double totalWeight_ = 0;
};

} // namespace

std::unique_ptr<DeviceSimilarity> makeLnccOnDevice(double window, Size3 finest, Workspace& space) {
    return std::make_unique<Lncc>(window, finest, space);
}

} // namespace systole::gpu
