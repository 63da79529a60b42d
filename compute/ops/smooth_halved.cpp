#include "compute/ops/smooth_halved.h"

#include "compute/ops/over_voxels.h"
#include "compute/ops/row_resampling.h"
#include "compute/ops/smooth.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

/// Variance of a cell mean followed by interpolation, in voxels².
constexpr double halvingVariance = 1;

bool isHalved(double sigma) { return sigma >= leastHalvedSigma; }

double sigmaLeft(double sigma) {
    return isHalved(sigma) ? 0.5 * std::sqrt(sigma * sigma - halvingVariance) : sigma;
}

/// The rows that a row of the other grid is made of, weighted.
struct WeightedRows {
    const float* row[9];
    float weight[9];
    int count = 0;

    void add(const float* values, float by) {
        row[count] = values;
        weight[count++] = by;
    }
    void sum(int n, float* out) const { rows::mix(row, weight, count, n, out); }
};

} // namespace

void cellMeans(VolumeView<const float> in, const HalvedGrid& grid, VolumeView<float> out,
               const ExecContext& ctx) {
    const HalvedAxis &ax = grid.x, &ay = grid.y, &az = grid.z;
    parallelFor(ctx, out.size.z, 1, [&](int begin, int end) {
        std::vector<float> padded(static_cast<std::size_t>(in.size.x + 2));
        float* const sum = padded.data() + 1;
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < out.size.y; ++y) {
                WeightedRows rows;
                for (int k = 0; k < az.count(); ++k)
                    for (int j = 0; j < ay.count(); ++j)
                        rows.add(in.row(ay.clamped(ay.first(y) + j), az.clamped(az.first(z) + k)),
                                 ay.weight(j) * az.weight(k));
                rows.sum(in.size.x, sum);
                sum[-1] = sum[0];
                sum[in.size.x] = sum[in.size.x - 1];
                float* const to = out.row(y, z);
                if (ax.halved && ax.even) {
                    rows::pairMeans(sum, out.size.x, to);
                    continue;
                }
                for (int x = 0; x < out.size.x; ++x) {
                    const float* const cell = sum + ax.first(x);
                    float mean = 0;
                    for (int i = 0; i < ax.count(); ++i)
                        mean += ax.weight(i) * cell[i];
                    to[x] = mean;
                }
            }
    });
}

namespace {

/// A row of voxels between its cells, which one on either side borders.
void expand(const HalvedAxis& axis, const float* cells, float* out) {
    const auto at = [&](int voxel, const float* from) {
        return from[0] + axis.share(voxel) * (from[1] - from[0]);
    };
    if (!axis.halved) {
        std::copy_n(cells, axis.fine, out);
        return;
    }
    if (axis.even)
        return rows::betweenCells(cells, axis.coarse, out);
    const float *const first = cells + axis.lower(0), *const second = cells + axis.lower(1);
    for (int i = 0; i < axis.fine / 2; ++i) {
        out[2 * i] = at(0, first + i);
        out[2 * i + 1] = at(1, second + i);
    }
    out[axis.fine - 1] = at(0, first + axis.fine / 2);
}

void interpolate(VolumeView<const float> in, const HalvedGrid& grid, VolumeView<float> out,
                 const ExecContext& ctx) {
    const HalvedAxis &ax = grid.x, &ay = grid.y, &az = grid.z;
    parallelFor(ctx, out.size.z, 2, [&](int begin, int end) {
        std::vector<float> padded(static_cast<std::size_t>(in.size.x + 2));
        float* const sum = padded.data() + 1;
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < out.size.y; ++y) {
                WeightedRows rows;
                for (int k = 0; k < 2; ++k)
                    for (int j = 0; j < 2; ++j) {
                        const float by = (j == 0 ? 1 - ay.share(y) : ay.share(y)) *
                                         (k == 0 ? 1 - az.share(z) : az.share(z));
                        rows.add(in.row(ay.clampedCell(ay.lower(y) + j),
                                        az.clampedCell(az.lower(z) + k)),
                                 by);
                    }
                rows.sum(in.size.x, sum);
                sum[-1] = sum[0];
                sum[in.size.x] = sum[in.size.x - 1];
                expand(ax, sum, out.row(y, z));
            }
    });
}

} // namespace

HalvedGrid::HalvedGrid(Size3 size, Vec3 s)
    : x(size.x, isHalved(s.x))
    , y(size.y, isHalved(s.y))
    , z(size.z, isHalved(s.z))
    , sigma{sigmaLeft(s.x), sigmaLeft(s.y), sigmaLeft(s.z)} {}

HalvedGrid::HalvedGrid(Size3 size, std::array<int, 3> factor, Vec3 s)
    : x(size.x, factor[0] == 2), y(size.y, factor[1] == 2), z(size.z, factor[2] == 2) {
    const auto left = [](const HalvedAxis& axis, double of) {
        const double ofMean = axis.even ? 0.25 : 0.5; // of one cell, voxels²
        return axis.halved ? 0.5 * std::sqrt(std::max(of * of - ofMean, 0.0)) : of;
    };
    sigma = {left(x, s.x), left(y, s.y), left(z, s.z)};
}

void smoothHalved(VolumeView<float> volume, Vec3 sigma,
                  const std::function<void(VolumeView<float>, Vec3)>& smooth,
                  const ExecContext& ctx) {
    const HalvedGrid grid(volume.size, sigma);
    if (!grid.halves())
        return smooth(volume, sigma);
    Buffer<float> memory = ctx.pool->acquire<float>(grid.size().voxels(), "smoothing, half grid");
    const VolumeView<float> coarse(memory.data(), grid.size());
    cellMeans(volume, grid, coarse, ctx);
    smooth(coarse, grid.sigma);
    interpolate(coarse, grid, volume, ctx);
}

double smoothHalvedBytes(Size3 size, Vec3 sigma) {
    const HalvedGrid grid(size, sigma);
    const auto coarse = static_cast<double>(grid.size().voxels());
    return smoothingBytes(grid.size()) +
           (grid.halves() ? 8 * (static_cast<double>(size.voxels()) + coarse) : 0);
}

double smoothHalvedFlops(Size3 size, Vec3 sigma) {
    const HalvedGrid grid(size, sigma);
    return smoothingFlops(grid.size(), grid.sigma) +
           (grid.halves() ? 12 * static_cast<double>(size.voxels()) : 0);
}

std::size_t smoothHalvedScratch(Size3 size, Vec3 sigma) {
    const HalvedGrid grid(size, sigma);
    const std::size_t block = BufferPool::blockBytes(sizeof(float) * grid.size().voxels());
    return grid.halves() ? 2 * block : block;
}

} // namespace systole
