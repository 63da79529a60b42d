#include "compute/model/prediction.h"

#include "compute/model/prediction_support.h"

#include <cstdlib>

namespace systole::model {
namespace {

long product(const int (&extent)[3]) {
    return static_cast<long>(extent[0]) * extent[1] * extent[2];
}

} // namespace

long blocksOf(const ProfileSpan& launch) { return product(launch.grid); }
int threadsOf(const ProfileSpan& launch) { return static_cast<int>(product(launch.block)); }

KernelResources resourcesOf(const ProfileSpan& launch) {
    return {threadsOf(launch), launch.registers, launch.sharedBytes, launch.localBytes};
}

KernelWork workOf(const ProfileSpan& launch) {
    KernelWork work;
    work.resources = resourcesOf(launch);
    work.cost = launch.cost;
    work.blocks = blocksOf(launch);
    work.bytes = launch.bytes;
    return work;
}

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
        return std::string("can't be launched: ") + name(active.limit);
    return "";
}

double warpsPerBlock(const GpuMachine& machine, const KernelWork& work) {
    return std::ceil(static_cast<double>(work.resources.threadsPerBlock) /
                     machine.limits().warpSize);
}

std::span<const PerformanceModel> performanceModels() {
    static constexpr PerformanceModel models[] = {
        {"wu", "Wu et al. 2019", "Wu", wuModel, true},
        {"hong-kim", "Hong and Kim 2009", "Hong & Kim", hongKimModel, false},
        {"systole", "Latency and throughput", "ours", latencyThroughputModel, true},
    };
    return models;
}

std::ptrdiff_t chosenBlock(std::span<const BlockPrediction> predictions, int standard) {
    constexpr double equalPart = 0.01;
    std::ptrdiff_t chosen = -1;
    for (std::size_t i = 0; i < predictions.size(); ++i)
        if (predictions[i].seconds > 0 &&
            (chosen < 0 ||
             predictions[i].seconds < predictions[static_cast<std::size_t>(chosen)].seconds))
            chosen = static_cast<std::ptrdiff_t>(i);
    if (chosen < 0)
        return chosen;
    const double least = predictions[static_cast<std::size_t>(chosen)].seconds;
    const auto away = [&](std::ptrdiff_t i) {
        return std::abs(predictions[static_cast<std::size_t>(i)].threads - standard);
    };
    for (std::size_t i = 0; i < predictions.size(); ++i)
        if (predictions[i].seconds > 0 && predictions[i].seconds <= (1 + equalPart) * least &&
            away(static_cast<std::ptrdiff_t>(i)) < away(chosen))
            chosen = static_cast<std::ptrdiff_t>(i);
    return chosen;
}

} // namespace systole::model
