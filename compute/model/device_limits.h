// Resource limits of a multiprocessor by compute capability, and the granularity in which it
// allocates registers and shared memory (CUDA programming guide, table of technical
// specifications; papers/unbiased-registration..., eq. 1–6).
#pragma once

#include <span>

namespace systole::model {

struct DeviceLimits {
    int computeCapability; ///< 90 is 9.0
    int maxWarps;          ///< resident warps per multiprocessor
    int maxBlocks;         ///< resident blocks per multiprocessor
    int registers;         ///< registers per multiprocessor
    int maxRegistersPerBlock;
    int maxRegistersPerThread;
    int registerUnit;        ///< allocation unit of registers per warp
    int warpAllocationUnit;  ///< allocation unit of warps per block, for registers
    int sharedBytes;         ///< bytes per multiprocessor, at the largest carve-out
    int maxSharedPerBlock;   ///< maximum with opt-in where available
    int sharedUnit;          ///< allocation unit of shared bytes per block
    int reservedSharedBytes; ///< reserved by the system per block (1 KB since 8.0)
    int schedulers;          ///< warp schedulers
    int floatLanes;          ///< single-precision results per cycle
    int specialLanes;        ///< special function results per cycle
    int textureLanes;        ///< filtered texels per cycle
    int onChipBytes;         ///< L1 and shared memory bytes per cycle
    int warpSize = 32;
    int maxThreadsPerBlock = 1024;
};

/// All known limits, ascending.
std::span<const DeviceLimits> allDeviceLimits();
/// Limits of this capability, or of the newest known one that isn't newer. Throws ComputeError for
/// a capability older than all known ones.
const DeviceLimits& deviceLimits(int computeCapability);

} // namespace systole::model
