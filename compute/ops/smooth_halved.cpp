#include "compute/ops/smooth_halved.h"

#include "compute/ops/over_voxels.h"
#include "compute/ops/row_window.h"
#include "compute/ops/smooth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// Variance of a cell mean followed by interpolation, in voxels².
constexpr double halvingVariance = 1;

bool isHalved(double sigma) { return sigma >= minHalvedSigma; }

double sigmaLeft(double sigma) {
    return isHalved(sigma) ? 0.5 * std::sqrt(sigma * sigma - halvingVariance) : sigma;
}

/// The cells of rows of voxels along x.
class CellsAlongX {
public:
    explicit CellsAlongX(const HalvedAxis& axis)
        : axis_(axis)
        , threes_(quarters, 1, axis.fine)
        , line_(static_cast<std::size_t>(axis.fine)) {}

    void of(const float* voxels, float* out) {
        if (!axis_.halved)
            std::copy_n(voxels, axis_.fine, out);
        else if (axis_.even)
            rows::pairMeans(voxels, axis_.coarse, out);
        else {
            threes_.sum(voxels, line_.data());
            for (int x = 0; x < axis_.coarse; ++x)
                out[x] = line_[static_cast<std::size_t>(2 * x)];
        }
    }

private:
    static constexpr float quarters[] = {0.25f, 0.5f, 0.25f};

    const HalvedAxis& axis_;
    ValueWindow threes_;
    std::vector<float> line_;
};

} // namespace

void cellMeans(VolumeView<const float> in, const HalvedGrid& grid, VolumeView<float> out,
               const ExecContext& ctx) {
    const HalvedAxis &ay = grid.y, &az = grid.z;
    const auto width = static_cast<std::size_t>(out.size.x);
    parallelFor(ctx, out.size.z, 1, [&](int begin, int end) {
        // Ring of the last rows of each of up to three planes: a row of an odd axis belongs to two
        // cells.
        constexpr int kept = 4;
        CellsAlongX alongX(grid.x);
        std::vector<float> values(3 * kept * width);
        std::array<int, 3 * kept> held{};
        for (int z = begin; z < end; ++z) {
            held.fill(-1);
            const auto rowOf = [&](int k, int y) {
                const auto slot = static_cast<std::size_t>(k * kept + y % kept);
                float* const to = values.data() + slot * width;
                if (std::exchange(held[slot], y) != y)
                    alongX.of(in.row(y, az.clamped(az.first(z) + k)), to);
                return to;
            };
            for (int y = 0; y < out.size.y; ++y) {
                const float* row[9];
                float weight[9];
                int count = 0;
                for (int k = 0; k < az.count(); ++k)
                    for (int j = 0; j < ay.count(); ++j, ++count) {
                        row[count] = rowOf(k, ay.clamped(ay.first(y) + j));
                        weight[count] = ay.weight(j) * az.weight(k);
                    }
                rows::mix(row, weight, count, out.size.x, out.row(y, z));
            }
        }
    });
}

namespace {

/// A row of voxels between its cells, which one on either side borders.
void expand(const HalvedAxis& axis, const float* cells, float* out) {
    if (!axis.halved) {
        std::copy_n(cells, axis.fine, out);
        return;
    }
    if (axis.even)
        return rows::betweenCells(cells, axis.coarse, out);
    for (int i = 0; i < axis.fine / 2; ++i) {
        out[2 * i] = cells[i];
        out[2 * i + 1] = cells[i] + 0.5f * (cells[i + 1] - cells[i]);
    }
    out[axis.fine - 1] = cells[axis.fine / 2];
}

} // namespace

/// Interpolates between cells along y, then x, then z.
void betweenCells(VolumeView<const float> in, const HalvedGrid& grid, VolumeView<float> out,
                  const ExecContext& ctx) {
    const HalvedAxis &ay = grid.y, &az = grid.z;
    const auto width = static_cast<std::size_t>(out.size.x);
    constexpr int together = 4; // planes of voxels, which share those of cells
    parallelFor(ctx, out.size.z, together, [&](int begin, int end) {
        const int lowest = az.lower(begin);
        const auto planes = static_cast<std::size_t>(az.lower(end - 1) - lowest + 2);
        std::vector<float> padded(static_cast<std::size_t>(in.size.x + 2)), between(planes * width);
        float* const cells = padded.data() + 1;
        const auto rowOf = [&](int plane) {
            return between.data() + static_cast<std::size_t>(plane - lowest) * width;
        };
        for (int y = 0; y < out.size.y; ++y) {
            for (int plane = lowest; plane < lowest + static_cast<int>(planes); ++plane) {
                const int cell = az.clampedCell(plane);
                rows::lerp(in.row(ay.clampedCell(ay.lower(y)), cell),
                           in.row(ay.clampedCell(ay.lower(y) + 1), cell), ay.share(y), in.size.x,
                           cells);
                cells[-1] = cells[0];
                cells[in.size.x] = cells[in.size.x - 1];
                expand(grid.x, cells, rowOf(plane));
            }
            for (int z = begin; z < end; ++z)
                rows::lerp(rowOf(az.lower(z)), rowOf(az.lower(z) + 1), az.share(z), out.size.x,
                           out.row(y, z));
        }
    });
}

HalvedGrid::HalvedGrid(Size3 size, Vec3 s)
    : x(size.x, isHalved(s.x))
    , y(size.y, isHalved(s.y))
    , z(size.z, isHalved(s.z))
    , sigma{sigmaLeft(s.x), sigmaLeft(s.y), sigmaLeft(s.z)} {}

HalvedGrid::HalvedGrid(Size3 size, std::array<int, 3> factor, Vec3 s)
    : x(size.x, factor[0] == 2), y(size.y, factor[1] == 2), z(size.z, factor[2] == 2) {
    const auto left = [](const HalvedAxis& axis, double of) {
        const double ofMean = axis.even ? 0.25 : 0.5; // variance of one cell's mean, voxels²
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
    betweenCells(coarse, grid, volume, ctx);
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
