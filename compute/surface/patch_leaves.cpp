#include "compute/surface/patch_leaves.h"

#include <algorithm>
#include <array>
#include <utility>

namespace systole::nlm {
namespace {

constexpr int chunk = 1024; ///< elements per chunk

/// (code, element) in the order of the leaves.
using Ranking = std::vector<std::pair<std::uint64_t, int>>;

} // namespace

PatchLeaves makePatchLeaves(VolumeView<const float> phi, std::span<const int> band, int radius,
                            bool byPlace, const ExecContext& ctx) {
    PatchLeaves all;
    all.elements = static_cast<int>(band.size());
    all.leaves = (all.elements + leafSize - 1) / leafSize;
    all.numbers = patchNumbers(radius);
    const auto voxelOf = [&](int e) {
        return voxelAt(phi.size, band[static_cast<std::size_t>(e)]);
    };
    std::vector<std::array<float, features>> feature(band.size());
    all.scale = static_cast<float>(parallelMax(ctx, all.elements, chunk, [&](int begin, int end) {
        ctx.throwIfCancelled();
        float largest = 0;
        for (int e = begin; e < end; ++e) {
            const Voxel p = voxelOf(e);
            float f[features];
            nlm::featuresOf(
                radius, [&](int n) { return phi.data[patchOffset(phi.size, p, radius, n)]; }, f);
            for (std::size_t k = 0; k < features; ++k) {
                feature[static_cast<std::size_t>(e)][k] = f[k];
                largest = std::max(largest, std::abs(f[k]));
            }
        }
        return static_cast<double>(largest);
    }));

    Ranking ranking(band.size());
    for (int e = 0; e < all.elements; ++e) {
        const auto i = static_cast<std::size_t>(e);
        const Voxel p = voxelOf(e);
        std::uint32_t at[4] = {static_cast<std::uint32_t>(p.x), static_cast<std::uint32_t>(p.y),
                               static_cast<std::uint32_t>(p.z), 0};
        if (!byPlace)
            for (std::size_t k = 0; k < 4; ++k)
                at[k] = mortonPlace(feature[i][k], all.scale);
        ranking[i] = {mortonCode(at, byPlace ? 3 : 4), e};
    }
    std::sort(ranking.begin(), ranking.end());

    const auto places = static_cast<std::size_t>(all.leaves) * leafSize;
    all.element.assign(places, -1);
    all.feature.resize(places * features);
    all.voxel.resize(places * 3);
    const std::size_t length = all.boxLength();
    all.low.assign((features + 3) * length, INFINITY);
    all.high.assign((features + 3) * length, -INFINITY);
    all.patches =
        ctx.pool->acquire<float>(places * static_cast<std::size_t>(all.numbers), "patches");
    parallelFor(ctx, all.leaves, chunk / leafSize, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int leaf = begin; leaf < end; ++leaf) {
            for (int i = 0; i < leafSize; ++i) {
                const int place = leaf * leafSize + i;
                const int e =
                    ranking[static_cast<std::size_t>(std::min(place, all.elements - 1))].second;
                if (place < all.elements)
                    all.element[static_cast<std::size_t>(place)] = e;
                const Voxel p = voxelOf(e);
                const auto widen = [&](int k, float value) {
                    const std::size_t at =
                        static_cast<std::size_t>(k) * length + static_cast<std::size_t>(leaf);
                    all.low[at] = std::min(all.low[at], value);
                    all.high[at] = std::max(all.high[at], value);
                };
                for (int k = 0; k < features; ++k) {
                    const float f =
                        feature[static_cast<std::size_t>(e)][static_cast<std::size_t>(k)];
                    all.feature[static_cast<std::size_t>((leaf * features + k) * leafSize + i)] = f;
                    widen(k, f);
                }
                for (int axis = 0; axis < 3; ++axis) {
                    all.voxel[static_cast<std::size_t>((leaf * 3 + axis) * leafSize + i)] = p[axis];
                    widen(features + axis, static_cast<float>(p[axis]));
                }
                float* const patch =
                    all.patches.data() + std::ptrdiff_t{leaf} * all.numbers * leafSize + i;
                for (int n = 0; n < all.numbers; ++n)
                    patch[std::ptrdiff_t{n} * leafSize] =
                        phi.data[patchOffset(phi.size, p, radius, n)];
            }
        }
    });
    return all;
}

} // namespace systole::nlm
