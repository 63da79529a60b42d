#include "compute/model/occupancy.h"

#include "compute/core/enum_text.h"

#include <algorithm>

namespace systole::model {
namespace {

constexpr int roundUp(int value, int unit) { return (value + unit - 1) / unit * unit; }

/// Registers are allocated per warp in whole units from the register file of the warp's scheduler;
/// what doesn't divide evenly stays unused. Whether a block can be launched at all is checked as if
/// its warps were distributed evenly over the schedulers.
int blocksByRegisters(const DeviceLimits& limits, int registersPerThread, int warps,
                      int partitions) {
    const int perWarp = roundUp(registersPerThread * limits.warpSize, limits.registerUnit);
    if (perWarp * roundUp(warps, partitions) > limits.maxRegistersPerBlock)
        return 0;
    const int warpsThatFit = limits.registers / partitions / perWarp * partitions;
    return warpsThatFit / warps;
}

int blocksByRegisters(const DeviceLimits& limits, int registersPerThread, int warps) {
    if (registersPerThread <= 0)
        return limits.maxBlocks;
    if (registersPerThread > limits.maxRegistersPerThread)
        return 0;
    // CUDA refuses on compute capability 6.0 what couldn't run on the rest of its family, which has
    // four schedulers.
    constexpr int pascal = 60, pascalPartitions = 4;
    if (limits.computeCapability == pascal &&
        blocksByRegisters(limits, registersPerThread, warps, pascalPartitions) == 0)
        return 0;
    return blocksByRegisters(limits, registersPerThread, warps, limits.warpAllocationUnit);
}

int blocksBySharedMemory(const DeviceLimits& limits, int sharedBytes) {
    if (sharedBytes <= 0)
        return limits.maxBlocks;
    if (sharedBytes > limits.maxSharedPerBlock)
        return 0;
    return limits.sharedBytes /
           roundUp(sharedBytes + limits.reservedSharedBytes, limits.sharedUnit);
}

} // namespace

const char* name(LimitingResource resource) {
    return enumText(resource, {"warps", "registers", "shared memory", "block slots"});
}

Occupancy occupancy(const DeviceLimits& limits, const KernelResources& kernel) {
    Occupancy result;
    result.byBlocks = limits.maxBlocks;
    if (kernel.threadsPerBlock <= 0 || kernel.threadsPerBlock > limits.maxThreadsPerBlock)
        return result;
    const int warps = (kernel.threadsPerBlock + limits.warpSize - 1) / limits.warpSize;
    result.byWarps = limits.maxWarps / warps;
    result.byRegisters = blocksByRegisters(limits, kernel.registersPerThread, warps);
    result.bySharedMemory = blocksBySharedMemory(limits, kernel.sharedBytesPerBlock);

    const std::pair<int, LimitingResource> all[] = {
        {result.byWarps, LimitingResource::Warps},
        {result.byBlocks, LimitingResource::Blocks},
        {result.byRegisters, LimitingResource::Registers},
        {result.bySharedMemory, LimitingResource::SharedMemory}};
    const auto& least =
        *std::ranges::min_element(all, {}, &std::pair<int, LimitingResource>::first);
    result.activeBlocks = least.first;
    result.limit = least.second;
    result.activeWarps = result.activeBlocks * warps;
    result.fraction = static_cast<double>(result.activeWarps) / limits.maxWarps;
    return result;
}

Waves waves(long blocks, int activeBlocks, int multiprocessors) {
    const long slots = static_cast<long>(activeBlocks) * multiprocessors;
    if (blocks <= 0 || slots <= 0)
        return {};
    Waves result;
    result.count = static_cast<double>(blocks) / static_cast<double>(slots);
    result.whole = (blocks + slots - 1) / slots;
    const long last = blocks - (result.whole - 1) * slots;
    result.lastFilled = static_cast<double>(last) / static_cast<double>(slots);
    result.efficiency = result.count / static_cast<double>(result.whole);
    return result;
}

} // namespace systole::model
