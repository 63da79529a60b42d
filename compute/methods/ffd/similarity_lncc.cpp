#include "compute/methods/ffd/similarity_lncc.h"

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/methods/ffd/similarity_rows.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/row_resampling.h"
#include "compute/ops/smooth.h"

#include <algorithm>
#include <vector>

namespace systole {
namespace {

/// The taps of a window along an axis, and the rows that it weighs.
struct WindowAxis {
    explicit WindowAxis(double sigma)
        : radius(gaussianRadius(sigma))
        , taps(gaussianTaps(sigma, radius))
        , rows(static_cast<std::size_t>(2 * radius + 1)) {}

    /// out = Σ tap · row(k), k from −radius on: in the order of the voxels, as on a device.
    template <typename Row>
    void sum(int count, const Row& row, float* out) {
        for (int k = -radius; k <= radius; ++k)
            rows[static_cast<std::size_t>(k + radius)] = row(k);
        rows::mix(rows.data(), taps.data(), 2 * radius + 1, count, out);
    }

    int radius;
    std::vector<float> taps;
    std::vector<const float*> rows;
};

/// values ← Σ over the window of weight · value, in place; nothing beyond the border. `scratch` has
/// the size of the values. Unlike smoothGaussian() its own transpose, which exact derivatives need.
/// Throws Cancelled.
void windowSum(VolumeView<float> values, Vec3 sigma, VolumeView<float> scratch,
               const ExecContext& ctx) {
    ctx.throwIfCancelled();
    const Size3 size = values.size;
    const std::vector<float> zeros(static_cast<std::size_t>(size.x), 0.0f);
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        WindowAxis alongX(sigma.x), alongY(sigma.y);
        std::vector<float> padded(static_cast<std::size_t>(size.x + 2 * alongX.radius), 0.0f);
        float* const row = padded.data() + alongX.radius;
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y) {
                const auto beside = [&](int k) {
                    return y + k < 0 || y + k >= size.y ? zeros.data() : values.row(y + k, z);
                };
                alongY.sum(size.x, beside, row);
                alongX.sum(
                    size.x, [&](int k) { return row + k; }, scratch.row(y, z));
            }
    });
    ctx.throwIfCancelled();
    parallelFor(ctx, size.y, 8, [&](int begin, int end) {
        WindowAxis alongZ(sigma.z);
        for (int z = 0; z < size.z; ++z)
            for (int y = begin; y < end; ++y) {
                const auto beside = [&](int k) {
                    return z + k < 0 || z + k >= size.z ? zeros.data() : scratch.row(y, z + k);
                };
                alongZ.sum(size.x, beside, values.row(y, z));
            }
    });
}

class Lncc : public Similarity {
public:
    Lncc(double window, Size3 finest, Workspace& space) : window_(window), space_(space) {
        const std::size_t n = finest.voxels();
        for (auto* block :
             {&inverse_, &mean_, &variance_, &scratch_, &sums_[0], &sums_[1], &sums_[2]})
            *block = space.add<float>("windows of the correlation", n);
    }

    void begin(const Level& level, const ExecContext& ctx) override {
        level_ = level;
        sigma_ = {window_ * level.unit.x, window_ * level.unit.y, window_ * level.unit.z};
        if (!level_.movingMasked)
            describeFixed(level_.fixedMask, ctx);
    }

    double value(const ComparedImages& images, const ExecContext& ctx) override {
        const VolumeView<const float> counted = countedIn(images);
        if (level_.movingMasked)
            describeFixed(counted, ctx);
        overRows(ctx, [&](std::size_t first, int count) {
            float* const products[3] = {sum(0).data + first, sum(1).data + first,
                                        sum(2).data + first};
            rows::windowProducts(at(counted, first), rowOf(images, first), count, products);
            return 0.0;
        });
        for (int n = 0; n < 3; ++n)
            windowSum(sum(n), sigma_, volume(scratch_), ctx);
        const double total = overRows(ctx, [&](std::size_t first, int count) {
            return rows::localCorrelation(
                {volume(inverse_).data + first,
                 volume(mean_).data + first,
                 volume(variance_).data + first,
                 {sum(0).data + first, sum(1).data + first, sum(2).data + first},
                 images.weight.data + first},
                count);
        });
        totalWeight_ = totalWeight(images.weight, ctx);
        return totalWeight_ > 0 ? -total / totalWeight_ : 0;
    }

    void derivative(const ComparedImages& images, VolumeView<float> out,
                    const ExecContext& ctx) override {
        const VolumeView<const float> counted = countedIn(images);
        for (int n = 0; n < 3; ++n)
            windowSum(sum(n), sigma_, volume(scratch_), ctx);
        const auto scale = static_cast<float>(totalWeight_ > 0 ? -1 / totalWeight_ : 0);
        overRows(ctx, [&](std::size_t first, int count) {
            float* const factors[3] = {sum(0).data + first, sum(1).data + first,
                                       sum(2).data + first};
            rows::correlationDerivative(at(counted, first), rowOf(images, first), factors, scale,
                                        count, out.data + first);
            return 0.0;
        });
    }

    double known(double energy) const override { return -energy; }
    double unexplained(double energy) const override { return unexplainedShare(energy); }
    bool seesLoss() const override { return true; }
    VolumeView<const float> ofLost() const override { return sum(1); }

private:
    VolumeView<float> volume(Workspace::Block<float> block) const {
        return {space_.data(block), level_.fixed.size};
    }
    VolumeView<float> sum(int n) const { return volume(sums_[n]); }
    /// Weights of the voxels in a window; empty: every voxel counts.
    VolumeView<const float> countedIn(const ComparedImages& images) const {
        return level_.movingMasked ? images.weight : level_.fixedMask;
    }
    static rows::ComparedRow rowOf(const ComparedImages& images, std::size_t first) {
        return {images.fixed.data + first, images.warped.data + first, at(images.lost, first)};
    }
    static const float* at(VolumeView<const float> volume, std::size_t first) {
        return volume.empty() ? nullptr : volume.data + first;
    }

    /// Calls body(first voxel, count) for every row; returns the sum of what it returns.
    template <typename Body>
    double overRows(const ExecContext& ctx, const Body& body) const {
        const VolumeView<const float>& fixed = level_.fixed;
        return sumOverRows(fixed.size, ctx,
                           [&](int y, int z) { return body(fixed.offset(0, y, z), fixed.size.x); });
    }

    /// Mean and variance of the fixed image in every window, and one over what counts there.
    void describeFixed(VolumeView<const float> counted, const ExecContext& ctx) {
        const VolumeView<float> weight = volume(inverse_), mean = volume(mean_),
                                squares = volume(variance_);
        overRows(ctx, [&](std::size_t first, int count) {
            for (auto i = first; i < first + static_cast<std::size_t>(count); ++i) {
                const float by = counted.empty() ? 1 : counted.data[i];
                weight.data[i] = by;
                mean.data[i] = by * level_.fixed.data[i];
                squares.data[i] = by * level_.fixed.data[i] * level_.fixed.data[i];
            }
            return 0.0;
        });
        for (const VolumeView<float>& sums : {weight, mean, squares})
            windowSum(sums, sigma_, volume(scratch_), ctx);
        overRows(ctx, [&](std::size_t first, int count) {
            for (auto i = first; i < first + static_cast<std::size_t>(count); ++i) {
                const float inverse = weight.data[i] > 1e-6f ? 1 / weight.data[i] : 0;
                weight.data[i] = inverse;
                mean.data[i] *= inverse;
                squares.data[i] =
                    std::max(0.0f, squares.data[i] * inverse - mean.data[i] * mean.data[i]);
            }
            return 0.0;
        });
    }

    double window_;
    Workspace& space_;
    Workspace::Block<float> inverse_, mean_, variance_, scratch_, sums_[3];
    Level level_;
    Vec3 sigma_;
    double totalWeight_ = 0; ///< sum of the weights at the last value()
};

} // namespace

std::unique_ptr<Similarity> makeLncc(double window, Size3 finest, Workspace& space) {
    return std::make_unique<Lncc>(window, finest, space);
}

} // namespace systole
