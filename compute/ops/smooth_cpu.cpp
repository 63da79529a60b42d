#include "compute/ops/row_kernels.h"
#include "compute/ops/smooth.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

int radiusOf(const std::vector<float>& taps) { return static_cast<int>(taps.size() / 2); }

} // namespace

int gaussianRadius(double sigma) { return sigma > 0 ? static_cast<int>(std::ceil(3 * sigma)) : 0; }

std::vector<float> gaussianTaps(double sigma, int radius) {
    std::vector<double> taps(static_cast<std::size_t>(2 * radius + 1), 1.0);
    double sum = 0;
    for (int k = -radius; k <= radius; ++k) {
        double& tap = taps[static_cast<std::size_t>(k + radius)];
        tap = sigma > 0 ? std::exp(-0.5 * k * k / (sigma * sigma)) : (k == 0 ? 1.0 : 0.0);
        sum += tap;
    }
    std::vector<float> normalized;
    for (const double tap : taps)
        normalized.push_back(static_cast<float>(tap / sum));
    return normalized;
}

std::vector<float> cubicMeanTaps(double sigma, int radius) {
    std::vector<float> taps = gaussianTaps(sigma, radius);
    const auto moment = [&](int power) {
        double sum = 0;
        for (int k = -radius; k <= radius; ++k)
            sum += std::pow(k, power) *
                   static_cast<double>(taps[static_cast<std::size_t>(k + radius)]);
        return sum;
    };
    const double second = moment(2);
    if (!(second > 0))
        return taps;
    const double c = moment(4) / second, sum = c - second;
    for (int k = -radius; k <= radius; ++k)
        taps[static_cast<std::size_t>(k + radius)] *= static_cast<float>((c - k * k) / sum);
    return taps;
}

TapsOfAxes tapsOfAxes(Vec3 sigma, std::vector<float> (*taps)(double, int)) {
    return {taps(sigma.x, gaussianRadius(sigma.x)), taps(sigma.y, gaussianRadius(sigma.y)),
            taps(sigma.z, gaussianRadius(sigma.z))};
}

double smoothingBytes(Size3 size) { return 16.0 * static_cast<double>(size.voxels()); }

double smoothingFlops(Size3 size, Vec3 sigma) {
    double perVoxel = 0;
    for (int axis = 0; axis < 3; ++axis)
        perVoxel += 3.0 * gaussianRadius(sigma[axis]) + 1;
    return perVoxel * static_cast<double>(size.voxels());
}

void smoothGaussian(VolumeView<const float> in, VolumeView<float> out, Vec3 sigma,
                    const ExecContext& ctx) {
    smoothBy(tapsOfAxes(sigma), in, out, ctx);
}

void smoothBy(const TapsOfAxes& taps, VolumeView<const float> in, VolumeView<float> out,
              const ExecContext& ctx) {
    const Size3 size = in.size;
    const auto& [tapsX, tapsY, tapsZ] = taps;
    const int rx = radiusOf(tapsX), ry = radiusOf(tapsY), rz = radiusOf(tapsZ);
    const auto clamp = [](int i, int n) { return std::clamp(i, 0, n - 1); };

    // y then x within a plane: a row's vertical sum goes straight into the padded row that x reads.
    Buffer<float> scratch = ctx.pool->acquire<float>(size.voxels(), "smoothing");
    const VolumeView<float> plane(scratch.data(), size);
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        std::vector<float> padded(static_cast<std::size_t>(size.x + 2 * rx));
        std::vector<const float*> window(static_cast<std::size_t>(2 * ry + 1));
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y) {
                for (int k = -ry; k <= ry; ++k)
                    window[static_cast<std::size_t>(k + ry)] = in.row(clamp(y + k, size.y), z);
                float* row = padded.data() + rx;
                rows::weightedSum(window.data(), tapsY.data(), ry, size.x, row);
                std::fill(padded.data(), row, row[0]);
                std::fill(row + size.x, row + size.x + rx, row[size.x - 1]);
                rows::convolve(padded.data(), tapsX.data(), rx, size.x, plane.row(y, z));
            }
    });
    parallelFor(ctx, size.y, 8, [&](int begin, int end) {
        std::vector<const float*> window(static_cast<std::size_t>(2 * rz + 1));
        for (int z = 0; z < size.z; ++z)
            for (int y = begin; y < end; ++y) {
                for (int k = -rz; k <= rz; ++k)
                    window[static_cast<std::size_t>(k + rz)] = plane.row(y, clamp(z + k, size.z));
                rows::weightedSum(window.data(), tapsZ.data(), rz, size.x, out.row(y, z));
            }
    });
}

} // namespace systole
