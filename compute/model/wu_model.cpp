// J. Wu, X. Yang, Z. Zhang, G. Chen, R. Mao: "A Performance Model for GPU Architectures that
// Considers On-Chip Resources: Application to Medical Image Registration", IEEE TPDS 2019.
// Numbers in comments are equation numbers; names as in the paper.
#include "compute/model/prediction_support.h"

#include <algorithm>
#include <cmath>

namespace systole::model {

Prediction wuModel(const GpuMachine& machine, const KernelWork& work) {
    const DeviceLimits& limits = machine.limits();
    const KernelCost& cost = work.cost;
    const Occupancy active =
        occupancy(limits, work.resources); // 7–11, with the hardware's rounding
    Prediction result;
    result.boundBy = whyNoPrediction(work, active);
    if (!result.boundBy.empty())
        return result;

    // 1–3, 16. A texture fetch counts as a global access. Constant loads aren't in the paper; they
    // cost as much as a cache hit.
    const double memGlobal = machine.globalLatency * cost.globalAccesses();
    const double memShared = cost.sharedAccesses * cost.bankConflicts * machine.sharedLatency;
    const double memLocal = machine.sharedLatency * limits.warpSize * cost.localAccesses;
    const double memConstant = machine.l1Latency * cost.constantLoads;
    const double memCycles = memGlobal + memShared + memLocal + memConstant;
    const double compCycles = computeCycles(machine.latency, cost);

    const double warpsOfBlock = warpsPerBlock(machine, work);
    const double warpsActive = active.activeBlocks * warpsOfBlock;                             // 6
    const double rwpC = std::min(warpsOfBlock, static_cast<double>(limits.schedulers));        // 4
    const double rwpM = std::min(machine.globalLatency / machine.departureDelay, warpsActive); // 5

    const double syncBlock = machine.departureDelay * (rwpM - 1) * cost.barriers; // 12
    const double syncCycles = syncBlock / warpsOfBlock;                           // 13
    const double cpwC = compCycles / rwpC;                                        // 14
    const double cpwM = memCycles / rwpM;                                         // 15
    const double cyclesOfWarp = std::max(cpwC, cpwM) + syncCycles;                // 17

    const double blocksOfSm =
        std::ceil(static_cast<double>(work.blocks) / machine.multiprocessors); // 19
    const double warps = blocksOfSm * warpsOfBlock;                            // 18
    const double cyclesOfSm = warps * cyclesOfWarp;                            // 20
    const double kernel = cyclesOfSm / machine.clockHertz;                     // 21
    const double transfer = transferSeconds(machine, work);                    // 23
    result.seconds = kernel + transfer;                                        // 22

    result.boundBy = cpwC > cpwM ? "computation" : "memory latency";
    if (transfer > kernel)
        result.boundBy = "transfer";
    result.steps = {{"Mem_cycles_global", memGlobal, "cycles"},
                    {"Mem_cycles_shared", memShared, "cycles"},
                    {"Mem_cycles_local", memLocal, "cycles"},
                    {"Mem_cycles_constant", memConstant, "cycles"},
                    {"Mem_cycles", memCycles, "cycles"},
                    {"Comp_cycles", compCycles, "cycles"},
                    {"Blocks_active", static_cast<double>(active.activeBlocks), "blocks"},
                    {"Warps_active", warpsActive, "warps"},
                    {"RWP_C", rwpC, "warps"},
                    {"RWP_M", rwpM, "warps"},
                    {"Sync_block", syncBlock, "cycles"},
                    {"Sync_cycles", syncCycles, "cycles"},
                    {"CPW_C", cpwC, "cycles"},
                    {"CPW_M", cpwM, "cycles"},
                    {"Exec_cycles_warp", cyclesOfWarp, "cycles"},
                    {"N_blocks", blocksOfSm, "blocks"},
                    {"N_warps", warps, "warps"},
                    {"Exec_cycles_SM", cyclesOfSm, "cycles"},
                    {"T_c", transfer, "s"}};
    return result;
}

} // namespace systole::model
