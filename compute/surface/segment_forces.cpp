#include "compute/surface/segment_forces.h"

#include "compute/ops/over_voxels.h"
#include "compute/ops/sample.h"
#include "compute/ops/smooth.h"
#include "compute/surface/level_set_math.h"

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
               farthest = static_cast<float>(grid.hasThickSlices() ? window.outsideInSlices
                                                                   : window.outsideMillimeters);
    const double brightInside = grid.hasThickSlices() ? borderBrightInSlices : borderBrightInside;
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
        const auto border = static_cast<float>(
            in > out ? brightInside : grid.echoBorder(static_cast<double>(contrast)));
        const float threshold = in + border * (out - in);
        force.data[i] = std::clamp(2 * (gray.data[i] - threshold) / (in - out), -1.0f, 1.0f) *
                        std::min(1.0f, contrast / noise);
    });
}

Volume smoothedForEdges(const SegmentGrid& grid, const ExecContext& ctx) {
    Volume smooth(grid.geometry(), *ctx.pool, "smoothed gray values");
    const double sigma = edgeScale / grid.spacing();
    smoothGaussian(grid.gray.view(), smooth.view(), {sigma, sigma, sigma}, ctx);
    return smooth;
}

double contrastAcross(const SegmentGrid& grid, VolumeView<const float> phi) {
    double inside = 0, outside = 0, insideCount = 0, outsideCount = 0;
    for (std::size_t i = 0; i < phi.voxels(); ++i) {
        if (!grid.known[i])
            continue;
        const float distance = phi.data[i];
        const auto gray = static_cast<double>(grid.gray.voxels.data()[i]);
        if (distance > -12 && distance < -1.5f) {
            inside += gray;
            ++insideCount;
        } else if (distance > 1.5f && distance < 7) {
            outside += gray;
            ++outsideCount;
        }
    }
    if (insideCount == 0 || outsideCount == 0)
        return 0;
    return outside / outsideCount - inside / insideCount;
}

void addEdgeForce(const Volume& smooth, VolumeView<const float> phi, double contrast, double width,
                  VolumeView<float> force, const ExecContext& ctx) {
    constexpr double minContrast = 0.02;
    if (contrast > -minContrast)
        return;
    const VolumeView<const float> g = smooth.view();
    const Size3 n = phi.size;
    const auto h = static_cast<float>(smooth.geometry.spacing().x),
               maxDistance = static_cast<float>(width);
    const auto scale = static_cast<float>(4 * edgeScale * edgeScale / contrast);
    const auto part = static_cast<float>(edgeWeight);
    overVoxels(n, ctx, [&](int x, int y, int z) {
        const std::size_t i = phi.offset(x, y, z);
        // 0 where the image has no data.
        if (std::abs(phi.data[i]) > maxDistance || force.data[i] == 0)
            return;
        const int xa = front::before(x), xb = front::after(x, n.x), ya = front::before(y),
                  yb = front::after(y, n.y), za = front::before(z), zb = front::after(z, n.z);
        const float px = phi(xb, y, z) - phi(xa, y, z), py = phi(x, yb, z) - phi(x, ya, z),
                    pz = phi(x, y, zb) - phi(x, y, za);
        const float squared = px * px + py * py + pz * pz;
        if (!(squared > 1e-6f))
            return;
        const float here = g(x, y, z);
        const float xx = g(xb, y, z) - 2 * here + g(xa, y, z),
                    yy = g(x, yb, z) - 2 * here + g(x, ya, z),
                    zz = g(x, y, zb) - 2 * here + g(x, y, za);
        const float xy = 0.25f * (g(xb, yb, z) - g(xa, yb, z) - g(xb, ya, z) + g(xa, ya, z)),
                    xz = 0.25f * (g(xb, y, zb) - g(xa, y, zb) - g(xb, y, za) + g(xa, y, za)),
                    yz = 0.25f * (g(x, yb, zb) - g(x, ya, zb) - g(x, yb, za) + g(x, ya, za));
        const float across = (px * px * xx + py * py * yy + pz * pz * zz +
                              2 * (px * py * xy + px * pz * xz + py * pz * yz)) /
                             (squared * h * h);
        force.data[i] += part * std::clamp(scale * across, -1.0f, 1.0f);
    });
}

} // namespace systole
