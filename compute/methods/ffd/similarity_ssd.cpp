#include "compute/methods/ffd/similarity.h"
#include "compute/methods/ffd/similarity_rows.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>

namespace systole {
namespace {

/// Variance of the voxels that count, at least that of a flat image: one gray value squared.
double varianceOf(VolumeView<const float> image, VolumeView<const float> mask,
                  const ExecContext& ctx) {
    const auto weight = [&](int x, int y, int z) { return mask.empty() ? 1.0f : mask(x, y, z); };
    const double total = sumOverVoxels(image.size, ctx, [&](int x, int y, int z) {
        return static_cast<double>(onSumGrid(weight(x, y, z)));
    });
    if (!(total > 0))
        return 1;
    const double grays = graysUnit(image.voxels()), squares = squaresUnit(image.voxels());
    const auto mean = static_cast<float>(
        sumOverVoxels(image.size, ctx,
                      [&](int x, int y, int z) {
                          return weighedGray(image(x, y, z), weight(x, y, z), grays);
                      }) /
        total);
    const double sum = sumOverVoxels(image.size, ctx, [&](int x, int y, int z) {
        return weighedSquare(image(x, y, z) - mean, weight(x, y, z), squares);
    });
    return std::max(1.0, sum / total);
}

class Ssd : public Similarity {
public:
    void begin(const Level& level, const ExecContext& ctx) override {
        variance_ = varianceOf(level.fixed, level.fixedMask, ctx);
    }

    double value(const ComparedImages& images, const ExecContext& ctx) override {
        const Size3 size = images.fixed.size;
        const double unit = squaresUnit(size.voxels());
        const double squares =
            ctx.backend == Backend::CpuReference
                ? sumOverVoxels(size, ctx,
                                [&](int x, int y, int z) {
                                    return weighedSquare(images.warped(x, y, z) -
                                                             images.fixed(x, y, z),
                                                         images.weight(x, y, z), unit);
                                })
                : sumOverRows(size, ctx, [&](int y, int z) {
                      return rows::weightedSquares(images.warped.row(y, z), images.fixed.row(y, z),
                                                   images.weight.row(y, z), size.x, unit);
                  });
        const double weight = totalWeight(images.weight, ctx);
        if (!(weight > 0))
            return 0;
        scale_ = 1 / (weight * variance_);
        return scale_ * squares;
    }

    void derivative(const ComparedImages& images, VolumeView<float> out,
                    const ExecContext& ctx) override {
        const Size3 size = images.fixed.size;
        const auto scale = static_cast<float>(2 * scale_);
        if (ctx.backend == Backend::CpuReference)
            return overVoxels(size, ctx, [&](int x, int y, int z) {
                out(x, y, z) = scale * images.weight(x, y, z) *
                               (images.warped(x, y, z) - images.fixed(x, y, z));
            });
        overRows(size, ctx, [&](int y, int z) {
            rows::weightedDifference(images.warped.row(y, z), images.fixed.row(y, z),
                                     images.weight.row(y, z), scale, size.x, out.row(y, z));
        });
    }

    double known(double energy) const override { return energy; }

private:
    double variance_ = 1;
    double scale_ = 0; ///< 1 / (sum of weights · variance) of the last value
};

} // namespace

std::unique_ptr<Similarity> makeSsd() { return std::make_unique<Ssd>(); }

} // namespace systole
