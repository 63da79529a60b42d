#include "compute/surface/patch_leaves.h"

#include "compute/ops/over_voxels.h"

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
    overItems(places, chunk, ctx, [&](std::size_t place) {
        ctx.throwIfCancelled();
        const std::size_t leaf = place / leafSize, i = place % leafSize;
        const int e = ranking[std::min(place, band.size() - 1)].second;
        if (place < band.size())
            all.element[place] = e;
        const Voxel p = voxelOf(e);
        const auto widen = [&](std::size_t k, float value) {
            float &low = all.low[k * length + leaf], &high = all.high[k * length + leaf];
            low = std::min(low, value);
            high = std::max(high, value);
        };
        for (std::size_t k = 0; k < features; ++k) {
            const float f = feature[static_cast<std::size_t>(e)][k];
            all.feature[(leaf * features + k) * leafSize + i] = f;
            widen(k, f);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int index = p[static_cast<int>(axis)];
            all.voxel[(leaf * 3 + axis) * leafSize + i] = index;
            widen(features + axis, static_cast<float>(index));
        }
        const auto numbers = static_cast<std::size_t>(all.numbers);
        for (std::size_t n = 0; n < numbers; ++n)
            all.patches.data()[(leaf * numbers + n) * leafSize + i] =
                phi.data[patchOffset(phi.size, p, radius, static_cast<int>(n))];
    });
    return all;
}

} // namespace systole::nlm
