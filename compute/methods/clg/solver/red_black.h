// The implementations of red-black relaxation on a device, as a table. The level determines which
// of them runs (redBlackForm).
#pragma once

#include "compute/cuda/kernel_family.h"

namespace systole::clg {

inline constexpr KernelVariant redBlackVariants[] = {
    {"in-place", "Four in-place sweeps, one launch per color."},
    {"colors", "Four sweeps; colors stored separately, blocks inverted in advance."},
    // A thread of the one cluster has two voxels of the level: the level sets the block size.
    {"resident", "Four sweeps in one launch: a small level stays on the chip.", 1024, {1024, 1024}},
    // A thread has two voxels of a tile, whose size the room in shared memory sets.
    {"tiles",
     "As colors, two sweeps in a launch: coefficients are read once for both.",
     640,
     {640, 640}},
};
inline constexpr KernelFamily redBlackFamily{"red-black", redBlackVariants};

} // namespace systole::clg
