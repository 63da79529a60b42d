#include "compute/methods/ffd/affine_blocks.h"
#include "compute/methods/ffd/affine_blocks_math.h"
#include "compute/methods/ffd/affine_blocks_rows.h"

namespace systole::affine {

void blockVariances(VolumeView<const float> image, VolumeView<const float> mask, float* variances,
                    const ExecContext& ctx) {
    const BlockGrid grid{image.size};
    parallelFor(ctx, grid.blocks(), 512, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int block = begin; block < end; ++block)
            variances[block] = blockVariance(image, mask, block);
    });
}

void warpByMap(VolumeView<const float> moving, VolumeView<const float> mask, const VoxelMap& map,
               VolumeView<float> out, const ExecContext& ctx) {
    if (ctx.backend == Backend::CpuReference) {
        warpReference(moving, mask, map, out, ctx);
        return;
    }
    parallelFor(ctx, out.size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < out.size.y; ++y)
                warpRow(moving, mask, map, out, y, z);
    });
}

void matchBlocks(VolumeView<const float> fixed, VolumeView<const float> warped,
                 std::span<const int> blocks, Search search, BlockMatch* matches,
                 const ExecContext& ctx) {
    if (ctx.backend == Backend::CpuReference) {
        matchReference(fixed, warped, blocks, search, matches, ctx);
        return;
    }
    parallelFor(ctx, static_cast<int>(blocks.size()), 64, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int i = begin; i < end; ++i)
            matches[i] = matchBlock(fixed, warped, blocks[static_cast<std::size_t>(i)], search);
    });
}

} // namespace systole::affine
