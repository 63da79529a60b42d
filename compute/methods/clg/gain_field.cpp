#include "compute/methods/clg/gain_field.h"

#include "compute/ops/over_voxels.h"

#include <algorithm>

namespace systole {
namespace {

using namespace clg;

/// Central differences of both frames' mean, zero at the border; the difference of the frames.
class Gradients {
public:
    explicit Gradients(const BrightnessFrames& frames) : f_(frames) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            factor_[axis] = differenceFactor(true, frames.scale[axis]);
    }
    Gradient at(int x, int y, int z) const {
        const Size3 size = f_.fixed.size;
        const std::size_t i = f_.fixed.offset(x, y, z);
        const std::size_t row = static_cast<std::size_t>(size.x),
                          plane = row * static_cast<std::size_t>(size.y);
        return {along(i, 1, x, size.x, 0), along(i, row, y, size.y, 1),
                along(i, plane, z, size.z, 2), f_.warped.data[i] - f_.fixed.data[i]};
    }

private:
    float along(std::size_t i, std::size_t step, int position, int n, std::size_t axis) const {
        if (position == 0 || position == n - 1)
            return 0;
        return factor_[axis] * (f_.fixed.data[i + step] - f_.fixed.data[i - step] +
                                f_.warped.data[i + step] - f_.warped.data[i - step]);
    }

    const BrightnessFrames& f_;
    float factor_[3];
};

void sumCells(const BrightnessCells& cells, const BrightnessFrames& frames, float epsilon,
              GainSums* sums, const ExecContext& ctx) {
    const VolumeView<GainSums> out(sums, cells.count);
    const Gradients gradients(frames);
    overVoxels(cells.count, ctx, [&](int cx, int cy, int cz) {
        const int beginX = cx * cells.side[0],
                  endX = std::min(beginX + cells.side[0], cells.volume.x);
        const int endY = std::min((cy + 1) * cells.side[1], cells.volume.y);
        const int endZ = std::min((cz + 1) * cells.side[2], cells.volume.z);
        GainSums sum{};
        for (int z = cz * cells.side[2]; z < endZ; ++z)
            for (int y = cy * cells.side[1]; y < endY; ++y)
                for (int x = beginX; x < endX; ++x)
                    sum.add(GainSums::voxel(gradients.at(x, y, z), frames.warped(x, y, z),
                                            frames.inside(x, y, z), epsilon),
                            1);
        out(cx, cy, cz) = sum;
    });
}

} // namespace

void fitGain(const BrightnessFrames& frames, float epsilon, const GainScratch& scratch,
             const ExecContext& ctx) {
    const BrightnessCells cells(frames.fixed.size, frames.scale, gainCell);
    sumCells(cells, frames, epsilon, scratch.sums, ctx);
    const VolumeView<const GainSums> ofCells(scratch.sums, cells.count);
    const VolumeView<BrightnessCoefficients> out(scratch.coefficients, cells.count);
    overVoxels(cells.count, ctx, [&](int x, int y, int z) {
        out(x, y, z) = gainCoefficients(aroundCell(
            cells.count, x, y, z, [&](int i, int j, int k) { return ofCells(i, j, k); }));
    });
    overVoxels(cells.volume, ctx, [&](int x, int y, int z) {
        float& value = frames.warped(x, y, z);
        value = matched(cells, scratch.coefficients, 1, x, y, z, value);
    });
}

} // namespace systole
