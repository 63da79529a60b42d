// The plain loops of block matching.
#include "compute/methods/ffd/affine_blocks_math.h"
#include "compute/methods/ffd/affine_blocks_rows.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample.h"

#include <algorithm>
#include <limits>

namespace systole::affine {
namespace {

constexpr float noValue = std::numeric_limits<float>::quiet_NaN();
constexpr auto root = [](float square) { return std::sqrt(square); };

/// A fixed block without its mean, and the region that a search reads without the value
/// at its middle; 0 and `known` false where there is no value.
struct Compared {
    Size3 extent;
    float f[blockSide][blockSide][blockSide] = {};
    float ff = 0;
    float m[regionSide][regionSide][regionSide] = {};
    float known[regionSide][regionSide][regionSide] = {};
    bool allKnown = true;
};

Compared compared(VolumeView<const float> fixed, VolumeView<const float> warped, int block,
                  int radius) {
    const BlockGrid grid{fixed.size};
    const Voxel o = grid.origin(block);
    Compared c;
    c.extent = grid.extent();
    const auto voxels = static_cast<float>(c.extent.voxels());
    const auto overBlock = [&](const auto& body) {
        for (int z = 0; z < c.extent.z; ++z)
            for (int y = 0; y < c.extent.y; ++y)
                for (int x = 0; x < c.extent.x; ++x)
                    body(c.f[z][y][x], fixed(o.x + x, o.y + y, o.z + z));
    };
    float sum = 0;
    overBlock([&](float, float value) { sum += value; });
    const float mean = sum / voxels;
    overBlock([&](float& f, float value) {
        f = value - mean;
        c.ff = fused(f, f, c.ff);
    });
    const float middle = warped(o.x + c.extent.x / 2, o.y + c.extent.y / 2, o.z + c.extent.z / 2);
    const float reference = std::isnan(middle) ? 0 : middle;
    const int first = searchRadius - radius, reach = searchRadius + radius;
    for (int z = first; z < c.extent.z + reach; ++z)
        for (int y = first; y < c.extent.y + reach; ++y)
            for (int x = first; x < c.extent.x + reach; ++x) {
                const Voxel p{o.x + x - searchRadius, o.y + y - searchRadius,
                              o.z + z - searchRadius};
                const float value = liesIn(warped.size, p) ? warped(p.x, p.y, p.z) : noValue;
                if (std::isnan(value)) {
                    c.allKnown = false;
                    continue;
                }
                c.m[z][y][x] = value - reference;
                c.known[z][y][x] = 1;
            }
    return c;
}

float scoreAt(const Compared& c, int dx, int dy, int dz, Sign sign) {
    const auto voxels = static_cast<float>(c.extent.voxels());
    WindowSums s{0, 0, 0, 0, 0, 0};
    for (int z = 0; z < c.extent.z; ++z) {
        float planeM = 0, planeMM = 0;
        for (int y = 0; y < c.extent.y; ++y) {
            float rowM = 0, rowMM = 0;
            for (int x = 0; x < c.extent.x; ++x) {
                const float f = c.f[z][y][x], m = c.m[z + dz][y + dy][x + dx],
                            known = c.known[z + dz][y + dy][x + dx];
                s.n += known;
                s.f = fused(f, known, s.f);
                s.ff = fused(f * f, known, s.ff);
                s.fm = fused(f, m, s.fm);
                rowM += m;
                rowMM = fused(m, m, rowMM);
            }
            planeM += rowM;
            planeMM += rowMM;
        }
        s.m += planeM;
        s.mm += planeMM;
    }
    return c.allKnown ? fullScore(c.ff, s.m, s.mm, s.fm, voxels, sign) : score(s, voxels, sign);
}

} // namespace

void warpReference(VolumeView<const float> moving, VolumeView<const float> mask,
                   const VoxelMap& map, VolumeView<float> out, const ExecContext& ctx) {
    overVoxels(out.size, ctx, [&](int x, int y, int z) {
        const RowStart row(map, y, z);
        const float px = fused(map[0][0], static_cast<float>(x), row.x),
                    py = fused(map[1][0], static_cast<float>(x), row.y),
                    pz = fused(map[2][0], static_cast<float>(x), row.z);
        float& value = out(x, y, z);
        value = noValue;
        if (!inVoxels(px, py, pz, moving.size))
            return;
        const TrilinearSample sample(moving.size, px, py, pz);
        if (mask.empty() || fusedSample(sample, mask.data) >= 0.5f)
            value = fusedSample(sample, moving.data);
    });
}

void matchReference(VolumeView<const float> fixed, VolumeView<const float> warped,
                    std::span<const int> blocks, Search search, BlockMatch* matches,
                    const ExecContext& ctx) {
    parallelFor(ctx, static_cast<int>(blocks.size()), 64, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int i = begin; i < end; ++i) {
            const Compared c =
                compared(fixed, warped, blocks[static_cast<std::size_t>(i)], search.radius);
            float scores[candidates];
            for (int k = 0; k < candidates; ++k)
                scores[k] = inSearch(k, search.radius)
                                ? scoreAt(c, k % searchSide, k / searchSide % searchSide,
                                          k / (searchSide * searchSide), search.sign)
                                : -2;
            const auto best = std::max_element(scores, scores + candidates) - scores;
            matches[i] = matchOf(scores, static_cast<int>(best), root);
        }
    });
}

} // namespace systole::affine
