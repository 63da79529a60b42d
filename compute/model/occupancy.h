// Resident blocks of a kernel per multiprocessor, the limiting resource, and the waves of a grid.
// Equal to the result of the CUDA runtime's occupancy query.
// Wu et al. 2019, eq. 6–11; papers/unbiased-registration..., eq. 1–6 (how the hardware rounds).
#pragma once

#include "compute/model/device_limits.h"

namespace systole::model {

/// Resources of a kernel.
struct KernelResources {
    int threadsPerBlock = 0;
    int registersPerThread = 0;
    int sharedBytesPerBlock = 0; ///< static and dynamic
    int localBytesPerThread = 0; ///< spills: a cost, but no limit
};

enum class LimitingResource { Warps, Registers, SharedMemory, Blocks };
const char*
name(LimitingResource resource); ///< "warps", "registers", "shared memory", "block slots"

struct Occupancy {
    // Blocks that each resource alone would allow; an unused resource allows maxBlocks.
    int byWarps = 0, byRegisters = 0, bySharedMemory = 0, byBlocks = 0;
    int activeBlocks = 0; ///< minimum of these; 0: the kernel can't be launched
    int activeWarps = 0;
    double fraction = 0; ///< active over maximum warps, 0–1
    LimitingResource limit = LimitingResource::Warps;
};

Occupancy occupancy(const DeviceLimits& limits, const KernelResources& kernel);

/// Waves in which a grid runs on the device.
struct Waves {
    double count = 0;      ///< blocks / slots
    long whole = 0;        ///< count rounded up
    double lastFilled = 0; ///< filled fraction of the last wave, 0–1
    double efficiency = 0; ///< count / whole
};
Waves waves(long blocks, int activeBlocks, int multiprocessors);

} // namespace systole::model
