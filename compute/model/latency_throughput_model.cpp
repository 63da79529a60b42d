// Our model, for chips with caches and many loads in flight: the time of a wave of blocks under
// each limit, added as squares. After V. Volkov, "Understanding Latency Hiding on GPUs", UC
// Berkeley 2016 (throughput is the least of warps over latency and every unit's peak, with a
// gradual bend where two of them meet).
#include "compute/model/prediction_support.h"

#include <algorithm>
#include <cmath>

namespace systole::model {
namespace {

// Independent instructions of a thread: nvcc unrolls loops by four and moves loads to the front;
// arithmetic comes in chains with some independent work in between.
constexpr double loadsTogether = 4, arithmeticTogether = 2;
// Instruction sequences that nvcc generates for compound single-precision operations, on the path
// of ordinary numbers: one special function instruction and some plain ones. The square root is the
// approximate one (reciprocal root and product), as used by the kernels here.
constexpr double besideDivide = 9, besideSquareRoot = 1, besideExponential = 9,
                 besideLogarithm = 25;
constexpr double bytesOfAccess = 4;

/// Cycles for which one warp occupies each unit of its multiprocessor, and its dependency chain.
struct WarpCycles {
    double issue = 0;
    double onChip = 0;
    double chain = 0;
};

double issueCycles(const DeviceLimits& limits, const KernelCost& cost) {
    const double special = cost.divide + cost.squareRoot + cost.exponential + cost.logarithm;
    const double floats = cost.add + cost.multiply + cost.fusedMultiplyAdd +
                          besideDivide * cost.divide + besideSquareRoot * cost.squareRoot +
                          besideExponential * cost.exponential + besideLogarithm * cost.logarithm;
    const double accesses =
        cost.globalAccesses() + cost.constantLoads + cost.sharedAccesses + cost.localAccesses;
    const double all = floats + special + cost.integer + accesses + cost.barriers;
    return std::max({all / limits.schedulers, floats * limits.warpSize / limits.floatLanes,
                     special * limits.warpSize / limits.specialLanes});
}

double onChipCycles(const DeviceLimits& limits, const KernelCost& cost) {
    const double accesses = cost.globalLoads + cost.globalStores + cost.localAccesses +
                            cost.sharedAccesses * cost.bankConflicts;
    return std::max(accesses * bytesOfAccess * limits.warpSize / limits.onChipBytes,
                    cost.textureFetches * limits.warpSize / limits.textureLanes);
}

/// Stores aren't waited for; `far` is the latency of a load that misses L1.
double chainCycles(const GpuMachine& machine, const KernelCost& cost, double far, double missing) {
    const double load = missing * far + (1 - missing) * machine.l1Latency;
    const double waits = (cost.globalLoads + cost.textureFetches) * load +
                         cost.sharedAccesses * machine.sharedLatency +
                         (cost.localAccesses + cost.constantLoads) * machine.l1Latency;
    return waits / loadsTogether + computeCycles(machine.latency, cost) / arithmeticTogether +
           cost.barriers * machine.sharedLatency;
}

/// Cycles of a wave under each limit alone. Together they take longer than the maximum: where two
/// limits are close, neither unit is always busy. Latency exposed by barriers is added, because the
/// warps of a block wait there without other work.
struct Wave {
    double latency = 0, issue = 0, onChip = 0, memory = 0, barriers = 0;
    double greatest() const { return std::max({latency, issue, onChip, memory}); }
    double cycles() const {
        return std::sqrt(latency * latency + issue * issue + onChip * onChip + memory * memory) +
               barriers;
    }
};

} // namespace

Prediction latencyThroughputModel(const GpuMachine& machine, const KernelWork& work) {
    const DeviceLimits& limits = machine.limits();
    const Occupancy active = occupancy(limits, work.resources);
    Prediction result;
    result.boundBy = whyNoPrediction(work, active);
    if (!result.boundBy.empty())
        return result;

    const double blocks = static_cast<double>(work.blocks);
    const double warpsOfBlock = warpsPerBlock(machine, work);
    // Caches serve all accesses beyond the first to each array; arrays that fit into L2 are found
    // there, because the kernel isn't the first to touch them.
    const bool inL2 = work.bytes <= static_cast<double>(machine.l2Bytes);
    const double asked =
        bytesOfAccess * work.cost.globalAccesses() * blocks * work.resources.threadsPerBlock;
    const double missing = work.bytes > 0 ? std::min(1.0, work.bytes / asked) : 1.0;
    const double bandwidth =
        inL2 ? std::max(machine.l2Bandwidth, machine.memoryBandwidth) : machine.memoryBandwidth;
    const double bytesACycle = bandwidth / machine.clockHertz;
    const double far = inL2 ? machine.l2Latency : machine.globalLatency;
    const WarpCycles warp{issueCycles(limits, work.cost), onChipCycles(limits, work.cost),
                          chainCycles(machine, work.cost, far, missing)};

    // All warps of a block wait before a barrier for the same loads, at most one memory latency;
    // other blocks of the multiprocessor continue meanwhile.
    const double phase = warp.chain / (work.cost.barriers + 1);
    const double exposed = work.cost.barriers * std::min(phase, far);

    const auto wave = [&](double blocksOfWave) {
        const double blocksOfOne = std::ceil(blocksOfWave / machine.multiprocessors);
        const double warps = blocksOfOne * warpsOfBlock;
        return Wave{warp.chain, warps * warp.issue, warps * warp.onChip,
                    work.bytes * blocksOfWave / blocks / bytesACycle, exposed / blocksOfOne};
    };
    const double slots = static_cast<double>(active.activeBlocks) * machine.multiprocessors;
    const double full = std::floor(blocks / slots), rest = blocks - full * slots;
    const double tailCycles = rest > 0 ? wave(rest).cycles() : 0;
    const double cycles = full * (full > 0 ? wave(slots).cycles() : 0) + tailCycles;
    const double kernel = cycles / machine.clockHertz;
    const double transfer = transferSeconds(machine, work);
    result.seconds = kernel + machine.launchOverhead + transfer;

    const Wave shown = wave(full > 0 ? slots : rest);
    const double most = shown.greatest();
    result.boundBy = most == shown.memory   ? (inL2 ? "L2 bandwidth" : "memory bandwidth")
                     : most == shown.issue  ? "instruction issue"
                     : most == shown.onChip ? "L1 and shared throughput"
                                            : "latency";
    if (machine.launchOverhead > kernel)
        result.boundBy = "launch";
    if (transfer > std::max(kernel, machine.launchOverhead))
        result.boundBy = "transfer";
    result.steps = {{"warps of a wave", active.activeBlocks * warpsOfBlock, "warps"},
                    {"waves", blocks / slots, ""},
                    {"loads beyond L1", missing, ""},
                    {"chain of a warp", warp.chain, "cycles"},
                    {"latency", shown.latency, "cycles"},
                    {"issue", shown.issue, "cycles"},
                    {"L1 and shared", shown.onChip, "cycles"},
                    {inL2 ? "L2 bandwidth" : "memory bandwidth", shown.memory, "cycles"},
                    {"barriers", shown.barriers, "cycles"},
                    {"cycles of a wave", shown.cycles(), "cycles"},
                    {"cycles of the last wave", tailCycles, "cycles"},
                    {"launch", machine.launchOverhead, "s"},
                    {"transfer", transfer, "s"}};
    return result;
}

} // namespace systole::model
