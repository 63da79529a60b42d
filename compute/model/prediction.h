// Input and output of the performance models wu_model, hong_kim_model and (ours)
// latency_throughput_model.
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
    KernelCost cost; ///< instructions per thread
    long blocks = 0;
    double bytes = 0;         ///< memory traffic, each array once
    double transferBytes = 0; ///< copies between host and device, both ways
    bool pinned = true;       ///< the host memory of the copies is pinned
};

long blocksOf(const ProfileSpan& launch);
int threadsOf(const ProfileSpan& launch); ///< threads per block
KernelResources resourcesOf(const ProfileSpan& launch);
/// Work of a recorded launch, without transfers. For a span of several launches: their shape and
/// cost, and the bytes of all.
KernelWork workOf(const ProfileSpan& launch);

/// An intermediate quantity under its name in the paper, for tables and lessons.
struct Quantity {
    std::string name; ///< "RWP_M"
    double value = 0;
    std::string unit; ///< "warps"
};

struct Prediction {
    double seconds = 0;  ///< 0: no prediction (no declared cost, or not launchable)
    std::string boundBy; ///< limiting resource: "memory latency", "computation", …
    std::vector<Quantity> steps;
};

/// Comp_cycles: sum of the latencies of a thread's arithmetic (Wu et al., 4.1).
double computeCycles(const OperationLatencies& latency, const KernelCost& cost);

/// Wu et al. 2019, eq. 1–23, Blocks_active with the hardware's rounding.
Prediction wuModel(const GpuMachine& machine, const KernelWork& work);
/// Hong and Kim, ISCA 2009.
Prediction hongKimModel(const GpuMachine& machine, const KernelWork& work);
/// Ours: the times of a wave of blocks limited by latency, instruction issue, L1 with shared
/// memory, and memory are added as squares; plus barriers, a partially filled last wave, and the
/// launch.
Prediction latencyThroughputModel(const GpuMachine& machine, const KernelWork& work);

struct PerformanceModel {
    const char* id;        ///< "wu", "hong-kim", "systole"
    const char* name;      ///< display name
    const char* shortName; ///< "Wu", for tables and legends
    Prediction (*predict)(const GpuMachine&, const KernelWork&);
    bool countsTransfers; ///< has a term for KernelWork::transferBytes
};
/// The three, in this order.
std::span<const PerformanceModel> performanceModels();

/// Prediction for a kernel at one block size; 0 seconds: none.
struct BlockPrediction {
    int threads = 0;
    double seconds = 0;
};
/// Index of the block to use; −1: no predictions. No model is exact to 1 %: among predictions
/// within 1 % of the minimum, the block nearest to `standard`; ties go to the smaller time, then to
/// the first.
std::ptrdiff_t chosenBlock(std::span<const BlockPrediction> predictions, int standard);

} // namespace systole::model
