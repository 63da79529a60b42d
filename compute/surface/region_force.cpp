#include "compute/surface/region_force.h"

#include "compute/ops/over_voxels.h"
#include "compute/ops/sample.h"
#include "compute/ops/smooth.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// Weight, first and second moment of the gray values of one side.
struct Side {
    Volume weight, mean, square;

    Side(const Geometry& grid, BufferPool& pool)
        : weight(grid, pool, "local weight")
        , mean(grid, pool, "local mean")
        , square(grid, pool, "local square") {}
    /// Smooths the moments and divides by the weights; the moments of the whole side count as
    /// `few` of the window, so that a side that isn't nearby has a value.
    void finish(double sigma, const ExecContext& ctx) {
        double all[3] = {1e-9, 0, 0};
        for (std::size_t i = 0; i < weight.voxels.size(); ++i) {
            all[0] += static_cast<double>(weight.voxels.data()[i]);
            all[1] += static_cast<double>(mean.voxels.data()[i]);
            all[2] += static_cast<double>(square.voxels.data()[i]);
        }
        for (Volume* volume : {&weight, &mean, &square})
            smoothGaussian(volume->view(), volume->view(), {sigma, sigma, sigma}, ctx);
        constexpr float few = 0.01f;
        const auto wholeMean = static_cast<float>(all[1] / all[0]),
                   wholeSquare = static_cast<float>(all[2] / all[0]);
        for (std::size_t i = 0; i < weight.voxels.size(); ++i) {
            const float w = weight.voxels.data()[i] + few;
            float& m = mean.voxels.data()[i];
            float& s = square.voxels.data()[i];
            m = (m + few * wholeMean) / w;
            s = (s + few * wholeSquare) / w;
        }
    }
};

} // namespace

void regionForce(const SegmentGrid& grid, VolumeView<const float> phi, const RegionForce& window,
                 double width, VolumeView<float> force, const ExecContext& ctx) {
    // Means over such windows need no finer grid than about 2.5 mm.
    const int stride = std::max(1, static_cast<int>(std::lround(2.5 / grid.spacing())));
    const auto coarse = [&](int n) { return std::max(1, (n + stride - 1) / stride); };
    const Size3 n = phi.size;
    const double spacing = grid.spacing() * stride;
    const Geometry every({coarse(n.x), coarse(n.y), coarse(n.z)}, {spacing, spacing, spacing});
    Side inside(every, *ctx.pool), outside(every, *ctx.pool);
    const VolumeView<const float> gray = grid.gray.view();
    const auto edge = static_cast<float>(window.gapMillimeters);
    const auto deepest = static_cast<float>(-window.insideMillimeters),
               farthest = static_cast<float>(window.outsideMillimeters);
    overVoxels(every.size(), ctx, [&](int x, int y, int z) {
        const std::size_t from = phi.offset(x * stride, y * stride, z * stride);
        const float distance = phi.data[from], value = gray.data[from];
        const auto set = [&](Side& side, bool counts) {
            const float weight = counts && grid.known[from] ? 1.0f : 0.0f;
            side.weight.view()(x, y, z) = weight;
            side.mean.view()(x, y, z) = weight * value;
            side.square.view()(x, y, z) = weight * value * value;
        };
        set(inside, distance < -edge && distance > deepest);
        set(outside, distance > edge && distance < farthest);
    });
    const double sigma = window.windowMillimeters / spacing;
    inside.finish(sigma, ctx);
    ctx.throwIfCancelled();
    outside.finish(sigma, ctx);
    ctx.throwIfCancelled();
    const float part = 1 / static_cast<float>(stride);
    overVoxels(n, ctx, [&](int x, int y, int z) {
        const std::size_t i = phi.offset(x, y, z);
        force.data[i] = 0;
        if (std::abs(phi.data[i]) > static_cast<float>(width) || !grid.known[i])
            return;
        const TrilinearSample at(every.size(), static_cast<float>(x) * part,
                                 static_cast<float>(y) * part, static_cast<float>(z) * part);
        const float in = at.of(inside.mean.voxels.data()), out = at.of(outside.mean.voxels.data());
        const float varied = 0.5f * (at.of(inside.square.voxels.data()) - in * in +
                                     at.of(outside.square.voxels.data()) - out * out);
        const float contrast = std::abs(in - out), noise = std::sqrt(std::max(varied, 1e-6f));
        if (contrast < 1e-4f)
            return;
        const auto border = static_cast<float>(in > out ? borderBrightInside : borderDarkInside);
        const float threshold = in + border * (out - in);
        force.data[i] = std::clamp(2 * (gray.data[i] - threshold) / (in - out), -1.0f, 1.0f) *
                        std::min(1.0f, contrast / noise);
    });
}

} // namespace systole
