#include "compute/methods/clg/brightness.h"

#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

using namespace clg;

/// Sums of the rows of one row of cells, voxel by voxel along x: rows add up as whole vectors, and
/// cells are collected once at the end.
class CellRow {
public:
    explicit CellRow(const BrightnessCells& cells) : cells_(cells) {
        for (std::vector<float>& sum : sums_)
            sum.resize(static_cast<std::size_t>(cells.volume.x));
    }

    void clear() {
        for (std::vector<float>& sum : sums_)
            std::fill(sum.begin(), sum.end(), 0.0f);
    }

    void add(const float* fixed, const float* warped, const float* inside) {
        float *const n = sums_[0].data(), *const f = sums_[1].data(), *const w = sums_[2].data(),
                     *const ff = sums_[3].data(), *const ww = sums_[4].data(),
                     *const r = sums_[5].data();
        for (std::size_t x = 0; x < sums_[0].size(); ++x) {
            const float difference = warped[x] - fixed[x];
            n[x] += inside[x];
            f[x] += inside[x] * fixed[x];
            w[x] += inside[x] * warped[x];
            ff[x] += inside[x] * fixed[x] * fixed[x];
            ww[x] += inside[x] * warped[x] * warped[x];
            r[x] += inside[x] * difference * difference;
        }
    }

    /// Writes the cells' sums; returns the squared residual.
    double collect(BrightnessSums* out) const {
        double residual = 0;
        for (int cell = 0; cell < cells_.count.x; ++cell) {
            const int begin = cell * cells_.side[0];
            const int end = std::min(begin + cells_.side[0], cells_.volume.x);
            float sum[6] = {};
            for (std::size_t k = 0; k < 6; ++k)
                for (int x = begin; x < end; ++x)
                    sum[k] += sums_[k][static_cast<std::size_t>(x)];
            out[cell] = {sum[0], sum[1], sum[2], sum[3], sum[4]};
            residual += static_cast<double>(sum[5]);
        }
        return residual;
    }

private:
    const BrightnessCells& cells_;
    std::vector<float> sums_[6];
};

/// Fills the sums of all cells; returns the squared residual.
double sumCells(const BrightnessCells& cells, const BrightnessFrames& frames, BrightnessSums* sums,
                const ExecContext& ctx) {
    const VolumeView<BrightnessSums> out(sums, cells.count);
    return parallelSum(ctx, cells.count.z, 1, [&](int first, int last) {
        CellRow row(cells);
        double residual = 0;
        for (int cz = first; cz < last; ++cz)
            for (int cy = 0; cy < cells.count.y; ++cy) {
                row.clear();
                const int endZ = std::min((cz + 1) * cells.side[2], cells.volume.z);
                const int endY = std::min((cy + 1) * cells.side[1], cells.volume.y);
                for (int z = cz * cells.side[2]; z < endZ; ++z)
                    for (int y = cy * cells.side[1]; y < endY; ++y)
                        row.add(frames.fixed.row(y, z), frames.warped.row(y, z),
                                frames.inside.row(y, z));
                residual += row.collect(out.row(cy, cz));
            }
        return residual;
    });
}

/// Fills the coefficients of all cells; returns the part of the squared residual that the mean
/// differences have.
double findCoefficients(const BrightnessCells& cells, const BrightnessScratch& scratch,
                        const ExecContext& ctx) {
    const VolumeView<const BrightnessSums> sums(scratch.sums, cells.count);
    const VolumeView<BrightnessCoefficients> out(scratch.coefficients, cells.count);
    return sumOverVoxels(cells.count, ctx, [&](int x, int y, int z) {
        const BrightnessSums around =
            aroundCell(cells.count, x, y, z, [&](int i, int j, int k) { return sums(i, j, k); });
        out(x, y, z) = brightnessCoefficients(around, [](float value) { return std::sqrt(value); });
        return static_cast<double>(meanPart(sums(x, y, z).voxels, around));
    });
}

void applyCoefficients(const BrightnessCells& cells, const BrightnessCoefficients* coefficients,
                       float share, VolumeView<float> warped, const ExecContext& ctx) {
    overVoxels(cells.volume, ctx, [&](int x, int y, int z) {
        float& value = warped(x, y, z);
        value = matched(cells, coefficients, share, x, y, z, value);
    });
}

} // namespace

std::size_t brightnessCells(const std::vector<PyramidLevel>& levels, float length) {
    std::size_t largest = 0;
    for (const PyramidLevel& level : levels)
        largest =
            std::max(largest, BrightnessCells(level.size, level.scale(), length).count.voxels());
    return largest;
}

double findBrightness(const BrightnessFrames& frames, const BrightnessShares& shares, double before,
                      const BrightnessScratch& scratch, const ExecContext& ctx) {
    const BrightnessCells cells(frames.fixed.size, frames.scale);
    const double all = sumCells(cells, frames, scratch.sums, ctx);
    const double ofMeans = findCoefficients(cells, scratch, ctx);
    return std::max(before, brightnessShare(ofMeans, all, shares));
}

double matchBrightness(const BrightnessFrames& frames, const BrightnessShares& shares,
                       double before, const BrightnessScratch& scratch, const ExecContext& ctx) {
    const double share = findBrightness(frames, shares, before, scratch, ctx);
    if (share > 0)
        applyCoefficients(BrightnessCells(frames.fixed.size, frames.scale), scratch.coefficients,
                          static_cast<float>(share), frames.warped, ctx);
    return share;
}

} // namespace systole
