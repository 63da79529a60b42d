#include "compute/surface/edge_force.h"

#include "compute/ops/over_voxels.h"
#include "compute/ops/smooth.h"
#include "compute/surface/level_set_math.h"

#include <algorithm>
#include <cmath>

namespace systole {

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
    constexpr double leastContrast = 0.02;
    if (contrast > -leastContrast)
        return;
    const VolumeView<const float> g = smooth.view();
    const Size3 n = phi.size;
    const auto h = static_cast<float>(smooth.geometry.spacing().x),
               most = static_cast<float>(width);
    const auto scale = static_cast<float>(4 * edgeScale * edgeScale / contrast);
    const auto part = static_cast<float>(edgeWeight);
    overVoxels(n, ctx, [&](int x, int y, int z) {
        const std::size_t i = phi.offset(x, y, z);
        // 0 where the image has no data.
        if (std::abs(phi.data[i]) > most || force.data[i] == 0)
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
