// Several cases of a plan done by few processes: one goes through their steps, so many cases at a
// time, another one estimates motion, with one context per device for all of them, and
// others draw.
#pragma once

#include "app/study/cohort_plan.h"
#include "app/study/step_run.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// The cases of a job of the engine, by id; it works on `atATime` of them at the same time, and on
/// a computer with a GPU on more (lanesOf()).
struct CohortBatches {
    int atATime = 1;
    std::vector<std::vector<std::string>> ids;
    int batchesAtATime = 1; ///< number of batches that may run on this computer at the same time
};

void writeBatches(const CohortBatches& batches, const std::string& output);
/// Throws FileError.
CohortBatches readBatches(const std::string& output);

/// Number of lanes of a batch. A lane is a thread that takes a case, has its steps done one after
/// the other, and then takes the next case.
struct BatchLanes {
    int first = 1; ///< number from the beginning on (CohortBatches::atATime)
    int total = 1; ///< number once a motion was estimated on a GPU
};

/// Lanes of a batch with at least one case. With a GPU there are up to twice
/// CohortBatches::atATime, as far as its part of `memoryBytes` suffices for their cases: a case
/// that waits for the GPU or is estimated there hardly needs a core.
BatchLanes lanesOf(const CohortPlan& plan, const CohortBatches& batches, std::size_t number,
                   std::uint64_t memoryBytes);

/// Memory that all steps of this job may take: `availableBytes` of the machine, or less if Slurm
/// gives the job less, according to the values of SLURM_MEM_PER_NODE, SLURM_MEM_PER_CPU and
/// SLURM_CPUS_ON_NODE; null, or anything but a positive number: not limited by it.
std::uint64_t memoryOfJob(std::uint64_t availableBytes, const char* perNode, const char* perCore,
                          const char* cores);
/// memoryOfJob() for this machine and environment.
std::uint64_t memoryOfThisJob();

/// Does all steps of the cases whose records don't hold; true: all are done now. A step that
/// another process can't do, or whose end it doesn't live to see, is done once more by one of its
/// own (runStep()), and if that fails, too, hinders only those that need it. Ends with the process
/// that started this one.
bool runBatch(const CohortPlan& plan, const std::string& output, std::size_t number);

/// The other processes: answers each of the connections, which are file descriptors, "5,6", until
/// its other end is closed.
void serveSteps(const CohortPlan& plan, const std::string& output, const std::string& connections,
                const CommandRunner& runner);

} // namespace systole
