#include "compute/model/prediction.h"

#include "compute/model/prediction_support.h"

namespace systole::model {

double computeCycles(const OperationLatencies& latency, const KernelCost& cost) {
    return cost.add * latency.add + cost.multiply * latency.multiply +
           cost.fusedMultiplyAdd * latency.fusedMultiplyAdd + cost.divide * latency.divide +
           cost.squareRoot * latency.squareRoot + cost.exponential * latency.exponential +
           cost.logarithm * latency.logarithm + cost.integer * latency.integer;
}

double transferSeconds(const GpuMachine& machine, const KernelWork& work) {
    if (work.transferBytes <= 0)
        return 0;
    const double up = work.pinned ? machine.uploadPinned : machine.uploadPageable;
    const double down = work.pinned ? machine.downloadPinned : machine.downloadPageable;
    if (up <= 0 || down <= 0)
        return 0;
    return work.transferBytes / 2 / up + work.transferBytes / 2 / down;
}

std::string whyNoPrediction(const KernelWork& work, const Occupancy& active) {
    if (!work.cost.declared())
        return "no cost declared";
    if (work.blocks <= 0)
        return "no blocks";
    if (active.activeBlocks == 0)
        return std::string("it can't be launched: ") + name(active.limit);
    return "";
}

std::span<const PerformanceModel> performanceModels() {
    static constexpr PerformanceModel models[] = {
        {"wu", "Wu et al. 2019", wuModel},
        {"hong-kim", "Hong and Kim 2009", hongKimModel},
        {"systole", "Latency and throughput", latencyThroughputModel},
    };
    return models;
}

} // namespace systole::model
