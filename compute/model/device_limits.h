// What a multiprocessor holds at once, by compute capability: the hardware's limits and the units
// in which it hands out registers and shared memory (CUDA programming guide, table of technical
// specifications; papers/unbiased-registration..., eq. 1–6).
#pragma once

#include <span>

namespace systole::model {

struct DeviceLimits {
    int computeCapability; ///< 90 is 9.0
    int warpSize;
    int maxThreadsPerBlock;
    int maxWarps;  ///< of a multiprocessor at once
    int maxBlocks; ///< of a multiprocessor at once
    int registers; ///< of a multiprocessor
    int maxRegistersPerBlock;
    int maxRegistersPerThread;
    int registerUnit;        ///< registers of a warp come in multiples of this
    int warpAllocationUnit;  ///< warps of a block, rounded up, when registers are counted
    int sharedBytes;         ///< of a multiprocessor, at the largest carve-out
    int maxSharedPerBlock;   ///< with the opt-in where there is one
    int sharedUnit;          ///< shared bytes of a block come in multiples of this
    int reservedSharedBytes; ///< that the system takes of each block's (1 KB since 8.0)
    int schedulers;          ///< warp schedulers
    int floatLanes;          ///< single-precision results a cycle
    int specialLanes;        ///< results a cycle of the special function units
    int textureLanes;        ///< filtered texels a cycle
    int onChipBytes;         ///< bytes a cycle that L1 and shared memory deliver
};

/// All that are known, ascending.
std::span<const DeviceLimits> allDeviceLimits();
/// Those of this capability, or of the newest that is known and not newer. Throws ComputeError
/// for one older than all.
const DeviceLimits& deviceLimits(int computeCapability);

} // namespace systole::model
