// What a performance model is given and what it says. The models: wu_model, hong_kim_model, and
// ours, latency_throughput_model.
#pragma once

#include "compute/core/profile.h"
#include "compute/model/machine.h"
#include "compute/model/occupancy.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace systole::model {

/// One launch.
struct KernelWork {
    KernelResources resources;
    KernelCost cost; ///< of a thread
    long blocks = 0;
    double bytes = 0;         ///< that must move between memory and chip, each array once
    double transferBytes = 0; ///< between host and device, part of the call
    bool pinned = true;       ///< host memory of the transfer
};

long blocksOf(const ProfileSpan& launch);
int threadsOf(const ProfileSpan& launch); ///< of a block
KernelResources resourcesOf(const ProfileSpan& launch);
/// A launch that was written down, without transfers. Of a span over several launches its shape
/// and cost, and the bytes of all.
KernelWork workOf(const ProfileSpan& launch);

/// A quantity on the way to the answer, under its name in the paper, for tables and lessons.
struct Quantity {
    std::string name; ///< "RWP_M"
    double value = 0;
    std::string unit; ///< "warps"
};

struct Prediction {
    double seconds = 0;  ///< 0: can't be predicted (no cost declared, or it can't be launched)
    std::string boundBy; ///< in words: "memory latency", "computation", …
    std::vector<Quantity> steps;
};

/// Comp_cycles: the sum of the latencies of a thread's arithmetic (Wu et al., 4.1).
double computeCycles(const OperationLatencies& latency, const KernelCost& cost);

/// Wu et al. 2019, eq. 1–23, Blocks_active with the hardware's rounding.
Prediction wuModel(const GpuMachine& machine, const KernelWork& work);
/// Hong and Kim, ISCA 2009.
Prediction hongKimModel(const GpuMachine& machine, const KernelWork& work);
/// Ours: what latency, instruction issue, L1 with shared memory, and memory would each take for
/// a wave of blocks, added up as squares, barriers on top; the last wave counted as it is filled,
/// and the launch.
Prediction latencyThroughputModel(const GpuMachine& machine, const KernelWork& work);

struct PerformanceModel {
    const char* id;        ///< "wu", "hong-kim", "systole"
    const char* name;      ///< for people
    const char* shortName; ///< "Wu", for tables and legends
    Prediction (*predict)(const GpuMachine&, const KernelWork&);
    bool countsTransfers; ///< it has a term for KernelWork::transferBytes
};
/// The three, in this order.
std::span<const PerformanceModel> performanceModels();

/// What a model says of a kernel in blocks of so many threads; 0 seconds: nothing.
struct BlockPrediction {
    int threads = 0;
    double seconds = 0;
};
/// The one of these blocks to take. No model is as exact as 1 %: of predictions that near to the
/// least, the block nearest to `standard`; of equally near ones the least, else the first. Nothing
/// is predicted: −1.
std::ptrdiff_t chosenBlock(std::span<const BlockPrediction> predictions, int standard);

} // namespace systole::model
