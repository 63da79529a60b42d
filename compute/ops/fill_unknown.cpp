#include "compute/ops/fill_unknown.h"

#include "compute/ops/over_voxels.h"

#include <utility>

namespace systole {

std::size_t fillScratch(Size3 size) { return fill::Blocks(size).total; }

void fillUnknown(VolumeView<std::uint8_t> known, VolumeView<std::uint8_t> next,
                 std::span<const VolumeView<float>> frames, float* scratch,
                 const ExecContext& ctx) {
    const Size3 size = known.size;
    for (int layer = 0; layer < fill::layers; ++layer) {
        overVoxels(size, ctx, [&](int x, int y, int z) {
            bool filled = known(x, y, z);
            if (!filled)
                for (const VolumeView<float>& frame : frames)
                    if (const float value = fill::meanOfNeighbors(known, frame, x, y, z);
                        value != fill::nothing) {
                        frame(x, y, z) = value;
                        filled = true;
                    }
            next(x, y, z) = filled;
        });
        std::swap(known.data, next.data);
    }
    static_assert(fill::layers % 2 == 0, "the caller's `known` is the last one written");
    const fill::Blocks blocks(size);
    for (const VolumeView<float>& frame : frames) {
        for (int level = 0; level < blocks.levels; ++level) {
            const VolumeView<float> means = blocks.view(scratch, level);
            overVoxels(means.size, ctx, [&](int x, int y, int z) {
                means(x, y, z) = level == 0
                                     ? fill::meanOfVoxels(known, frame, x, y, z)
                                     : fill::meanOfBlocks(blocks.view(scratch, level - 1), x, y, z);
            });
        }
        overVoxels(size, ctx, [&](int x, int y, int z) {
            if (!known(x, y, z))
                frame(x, y, z) = fill::valueOfBlocks(blocks, scratch, x, y, z);
        });
    }
}

} // namespace systole
