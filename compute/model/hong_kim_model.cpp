// S. Hong, H. Kim: "An Analytical Model for a GPU Architecture with Memory-level and Thread-level
// Parallelism Awareness", ISCA 2009. Accesses are coalesced; names as in the paper.
#include "compute/model/prediction_support.h"

#include <algorithm>
#include <cmath>

namespace systole::model {

Prediction hongKimModel(const GpuMachine& machine, const KernelWork& work) {
    const DeviceLimits& limits = machine.limits();
    const KernelCost& cost = work.cost;
    const Occupancy active = occupancy(limits, work.resources);
    Prediction result;
    result.boundBy = whyNoPrediction(work, active);
    if (!result.boundBy.empty())
        return result;

    const double blocks = static_cast<double>(work.blocks);
    const double warpsOfBlock = warpsPerBlock(machine, work);
    const double activeSms = std::min(blocks, static_cast<double>(machine.multiprocessors));
    // A grid that doesn't fill the device has fewer blocks per multiprocessor than fit.
    const double activeBlocks =
        std::min(static_cast<double>(active.activeBlocks), std::ceil(blocks / activeSms));
    const double n = activeBlocks * warpsOfBlock;
    const double rep = std::max(1.0, blocks / (activeBlocks * activeSms));

    // Issuing an instruction of a warp takes threads / lanes cycles: 4 on the chips of 2009 with 8
    // lanes. As in the paper, shared and constant accesses count as computation; spills, which
    // chips of that time kept in memory, count as memory accesses.
    const double memInsts = cost.globalAccesses() + cost.localAccesses;
    const double compInsts = cost.add + cost.multiply + cost.fusedMultiplyAdd + cost.divide +
                             cost.squareRoot + cost.exponential + cost.logarithm + cost.integer +
                             cost.sharedAccesses * cost.bankConflicts + cost.constantLoads +
                             cost.barriers;
    const double issueCycles = static_cast<double>(limits.warpSize) / limits.floatLanes;
    const double compCycles = issueCycles * (compInsts + memInsts);
    const double memLatency = machine.globalLatency;
    const double memCycles = memLatency * memInsts;

    constexpr double bytesOfThread = 4;
    const double loadBytes = bytesOfThread * limits.warpSize;
    const double bandwidthOfWarp = machine.clockHertz * loadBytes / memLatency;
    const double mwpPeakBandwidth = machine.memoryBandwidth / (bandwidthOfWarp * activeSms);
    const double mwp = std::min({memLatency / machine.departureDelay, mwpPeakBandwidth, n});
    const double cwp = std::min((memCycles + compCycles) / compCycles, n);

    const double compPeriod = compCycles / memInsts;
    double cycles = 0;
    if (mwp == n && cwp == n) {
        cycles = (memCycles + compCycles + compPeriod * (mwp - 1)) * rep;
        result.boundBy = "too few warps";
    } else if (cwp >= mwp || compCycles > memCycles) {
        cycles = (memCycles * n / mwp + compPeriod * (mwp - 1)) * rep;
        result.boundBy = mwp == mwpPeakBandwidth ? "memory bandwidth" : "memory latency";
    } else {
        cycles = (memLatency + compCycles * n) * rep;
        result.boundBy = "computation";
    }
    const double sync = machine.departureDelay * (mwp - 1) * cost.barriers * activeBlocks * rep;
    result.seconds = (cycles + sync) / machine.clockHertz;
    result.steps = {{"Mem_cycles", memCycles, "cycles"},
                    {"Comp_cycles", compCycles, "cycles"},
                    {"N", n, "warps"},
                    {"MWP_peak_BW", mwpPeakBandwidth, "warps"},
                    {"MWP", mwp, "warps"},
                    {"CWP", cwp, "warps"},
                    {"Rep", rep, ""},
                    {"Synch_cost", sync, "cycles"},
                    {"Exec_cycles_app", cycles + sync, "cycles"}};
    return result;
}

} // namespace systole::model
