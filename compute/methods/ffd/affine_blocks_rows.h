// The plain loops and the SIMD parts behind compute/methods/ffd/affine_blocks.h.
#pragma once

#include "compute/methods/ffd/affine_blocks.h"

namespace systole::affine {

// The plain loops of warpByMap() and matchBlocks().
void warpReference(VolumeView<const float> moving, VolumeView<const float> mask,
                   const VoxelMap& map, VolumeView<float> out, const ExecContext& ctx);
void matchReference(VolumeView<const float> fixed, VolumeView<const float> warped,
                    std::span<const int> blocks, Search search, BlockMatch* matches,
                    const ExecContext& ctx);

/// warpByMap() for the row (y, z) of `out`.
void warpRow(VolumeView<const float> moving, VolumeView<const float> mask, const VoxelMap& map,
             VolumeView<float> out, int y, int z);

/// matchBlocks() for one block.
BlockMatch matchBlock(VolumeView<const float> fixed, VolumeView<const float> warped, int block,
                      Search search);

} // namespace systole::affine
