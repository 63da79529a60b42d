// How a kernel that streams over a volume keeps what neighbouring voxels share.
#pragma once

namespace systole {

enum class MemoryVariant {
    Direct,   ///< plain loads, the caches do the work
    Shared,   ///< in shared memory
    L2Only,   ///< plain loads that bypass the first cache
    Register, ///< in registers: marching along an axis, shuffles across it
    Fused     ///< registers and shared memory, several passes in one kernel
};

} // namespace systole
