#include "compute/ops/row_window.h"
#include "compute/ops/smooth.h"

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
    Buffer<float> scratch = ctx.pool->acquire<float>(size.voxels(), "smoothing");
    const VolumeView<float> planes(scratch.data(), size);
    // x then y within a plane, which stays in the cache.
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        ValueWindow alongX(tapsX, radiusOf(tapsX), size.x);
        RowWindow alongY(tapsY, size.y);
        for (int z = begin; z < end; ++z) {
            for (int y = 0; y < size.y; ++y)
                alongX.sum(in.row(y, z), out.row(y, z));
            for (int y = 0; y < size.y; ++y)
                alongY.sum(
                    y - radiusOf(tapsY), [&](int i) { return out.row(i, z); }, size.x,
                    planes.row(y, z));
        }
    });
    parallelFor(ctx, size.y, 8, [&](int begin, int end) {
        RowWindow alongZ(tapsZ, size.z);
        for (int z = 0; z < size.z; ++z)
            for (int y = begin; y < end; ++y)
                alongZ.sum(
                    z - radiusOf(tapsZ), [&](int i) { return planes.row(y, i); }, size.x,
                    out.row(y, z));
    });
}

} // namespace systole
