#include "compute/methods/ffd/similarity_cuda.cuh"
#include "compute/methods/ffd/similarity_lncc.h"
#include "compute/ops/smooth_cuda.cuh"

#include <utility>

namespace systole::gpu {
namespace {

/// out = Σ taps · in along one axis (0 x, 1 y, 2 z) of every volume of a stack, of the voxels
/// inside alone.
__global__ void windowKernel(const float* in, float* out, int3 n, int volumes,
                             const __grid_constant__ Taps taps, int axis) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const auto plane = static_cast<int>(blockIdx.z);
    if (x >= n.x || y >= n.y || plane >= n.z * volumes)
        return;
    const int z = plane % n.z;
    const int at = axis == 0   ? x
                   : axis == 1 ? y
                               : z,
              length = axis == 0   ? n.x
                       : axis == 1 ? n.y
                                   : n.z;
    const std::ptrdiff_t step = axis == 0   ? 1
                                : axis == 1 ? n.x
                                            : static_cast<std::ptrdiff_t>(n.x) * n.y;
    const std::size_t i = static_cast<std::size_t>(x) +
                          static_cast<std::size_t>(n.x) *
                              (static_cast<std::size_t>(y) + static_cast<std::size_t>(n.y) * plane);
    float sum = 0;
    for (int k = max(-taps.radius, -at); k <= min(taps.radius, length - 1 - at); ++k)
        sum += taps.weight[k + taps.radius] * in[static_cast<std::ptrdiff_t>(i) + k * step];
    out[i] = sum;
}

__device__ inline std::size_t voxel() {
    return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}

/// products = counted · (b, b², a · b), or counted · (1, a, a²) without b.
__global__ void productsKernel(const float* counted, const float* a, const float* b, std::size_t n,
                               float* products) {
    const std::size_t i = voxel();
    if (i >= n)
        return;
    const float by = counted ? counted[i] : 1.0f;
    products[i] = b ? by * b[i] : by;
    products[n + i] = b ? by * b[i] * b[i] : by * a[i];
    products[2 * n + i] = b ? by * b[i] * a[i] : by * a[i] * a[i];
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
        const float by = 2 * w * inverse;
        const float ofA = by * ratio, ofB = -by * (correlation / varianceB);
        sums[i] = ofA;
        sums[n + i] = ofB;
        sums[2 * n + i] = ofA * meanA + ofB * meanB;
        total.x += static_cast<double>(w * correlation);
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
        log.launch({"window products", 20.0 * static_cast<double>(n)}, productsKernel,
                   threadsOver(n), countedIn(images), images.fixed.data, images.warped.data, n,
                   space_.data(sums_));
        windowSums(sums_, log);
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
        windowSums(sums_, log);
        const auto scale = static_cast<float>(totalWeight_ > 0 ? -1 / totalWeight_ : 0);
        log.launch({"derivative of lncc", 28.0 * static_cast<double>(n)}, derivativeKernel,
                   threadsOver(n), countedIn(images), images.fixed.data, images.warped.data,
                   space_.data(sums_), scale, n, out.data);
    }

    double known(double energy) const override { return -energy; }

private:
    const float* countedIn(const ComparedImages& images) const {
        return level_.movingMasked ? images.weight.data : level_.fixedMask.data;
    }

    /// Three volumes in place of their sums over the window.
    void windowSums(Workspace::Block<float>& volumes, LaunchLog& log) {
        const Size3 size = level_.fixed.size;
        const int3 n = make_int3(size.x, size.y, size.z);
        const Vec3 sigma{window_ * level_.unit.x, window_ * level_.unit.y, window_ * level_.unit.z};
        for (int axis = 0; axis < 3; ++axis) {
            log.launch({"window sums", 24.0 * static_cast<double>(size.voxels())}, windowKernel,
                       columnsOver({size.x, size.y, 3 * size.z}, 1), space_.data(volumes),
                       space_.data(scratch_), n, 3, gaussianTapsFor(sigma[axis]), axis);
            std::swap(volumes, scratch_);
        }
    }

    void describeFixed(const float* counted, LaunchLog& log) {
        const std::size_t n = level_.fixed.voxels();
        log.launch({"window products", 20.0 * static_cast<double>(n)}, productsKernel,
                   threadsOver(n), counted, level_.fixed.data, nullptr, n, space_.data(fixed_));
        windowSums(fixed_, log);
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
