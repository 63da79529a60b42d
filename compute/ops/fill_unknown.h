// Extends a frame into voxels where nothing was recorded, outside of a probe's sector for instance,
// so that filters and coarser levels see no edge there. Two layers of voxels get the mean of their
// known neighbors, one after the other; what lies farther away the mean of the smallest block of
// 2, 4, 8 … voxels around it that holds something.
#pragma once

#include "compute/core/exec.h"
#include "compute/ops/fill_unknown_math.h"

#include <span>

namespace systole {

/// Floats that fillUnknown() needs as scratch per frame of this size; at most twice its voxels.
std::size_t fillScratch(Size3 size);

/// Overwrites the values of `frames` where `known` is 0, from those where it is 1; all become 0 if
/// it is 1 nowhere. `known` becomes 1 in the layers that were filled first; `next` is scratch of
/// its size. Known values must be finite.
void fillUnknown(VolumeView<std::uint8_t> known, VolumeView<std::uint8_t> next,
                 std::span<const VolumeView<float>> frames, float* scratch, const ExecContext& ctx);

} // namespace systole
