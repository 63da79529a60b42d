// How many blocks of a kernel a multiprocessor holds at once, what limits them, and how a grid is
// dealt out in waves. Equal to the answer of the CUDA runtime's occupancy query.
// Wu et al. 2019, eq. 6–11; papers/unbiased-registration..., eq. 1–6 (how the hardware rounds).
#pragma once

#include "compute/model/device_limits.h"

namespace systole::model {

/// What a block asks for.
struct KernelResources {
    int threadsPerBlock = 0;
    int registersPerThread = 0;
    int sharedBytesPerBlock = 0; ///< static and dynamic
    int localBytesPerThread = 0; ///< spills: no limit, but a cost
};

enum class LimitingResource { Warps, Registers, SharedMemory, Blocks };
const char*
name(LimitingResource resource); ///< "warps", "registers", "shared memory", "block slots"

struct Occupancy {
    // Blocks that each resource alone would allow; a resource that isn't used allows
    // maxBlocks.
    int byWarps = 0, byRegisters = 0, bySharedMemory = 0, byBlocks = 0;
    int activeBlocks = 0; ///< the least of them; 0: the kernel can't be launched
    int activeWarps = 0;
    double fraction = 0; ///< of the warps that fit
    LimitingResource limit = LimitingResource::Warps;
};

Occupancy occupancy(const DeviceLimits& limits, const KernelResources& kernel);

/// A grid of so many blocks over the device.
struct Waves {
    double count = 0;      ///< blocks / slots
    long whole = 0;        ///< count rounded up
    double lastFilled = 0; ///< part of the slots that the last wave fills, 0–1
    double efficiency = 0; ///< count / whole: what the tail leaves of the device
};
Waves waves(long blocks, int activeBlocks, int multiprocessors);

} // namespace systole::model
