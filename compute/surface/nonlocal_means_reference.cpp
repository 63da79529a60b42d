// The search as its definition says: every element against every other.
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/nonlocal_means_math.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace systole::nlm {

void findNeighborsPlain(VolumeView<const float> phi, std::span<const int> band,
                        const NonlocalMeansParameters& parameters, NeighborView out,
                        const ExecContext& ctx) {
    const int radius = parameters.patchRadius, count = static_cast<int>(band.size());
    parallelFor(ctx, count, 16, [&](int begin, int end) {
        std::vector<Key> keys;
        for (int j = begin; j < end; ++j) {
            ctx.throwIfCancelled();
            const Voxel p = voxelAt(phi.size, band[static_cast<std::size_t>(j)]);
            keys.clear();
            for (int l = 0; l < count; ++l) {
                const Voxel q = voxelAt(phi.size, band[static_cast<std::size_t>(l)]);
                if (!inWindow(parameters.window, p, q))
                    continue;
                float sum = 0;
                for (int n = 0; n < patchNumbers(radius); ++n)
                    sum = addSquare(sum, phi.data[patchOffset(phi.size, p, radius, n)],
                                    phi.data[patchOffset(phi.size, q, radius, n)]);
                keys.push_back(keyOf(sum, l));
            }
            keys.resize(std::max(keys.size(), static_cast<std::size_t>(out.m)),
                        keyOf(std::numeric_limits<float>::infinity(), j));
            std::partial_sort(keys.begin(), keys.begin() + out.m, keys.end());
            for (int k = 0; k < out.m; ++k) {
                const std::ptrdiff_t at = std::ptrdiff_t{j} * out.m + k;
                out.element[at] = elementOf(keys[static_cast<std::size_t>(k)]);
                out.distance[at] = distanceOf(keys[static_cast<std::size_t>(k)]);
            }
        }
    });
}

} // namespace systole::nlm
