// Snakemake, which decides when and where the jobs of a plan run: on this machine, or by Slurm. A
// job is a step, or a batch of cases, which schedules their steps itself (batch.h).
#pragma once

#include "app/study/cohort_plan.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

struct EngineOptions {
    int jobs = 1;                        ///< cores of this machine, or jobs of Slurm at a time
    bool slurm = false;                  ///< steps are jobs of Slurm
    std::vector<std::string> slurmWords; ///< options for sbatch, a word each
    int batch = 0;                       ///< cases of a job (runBatch()); 0: a job is a step
    int batchCores = 1;                  ///< cores of such a job
};

/// Throws UsageError with one sentence if Snakemake, or with `slurm` sbatch, isn't installed.
void requireEngine(bool slurm);

/// Does every step of the plan whose record doesn't hold. A step that fails stops only those that
/// need it. `progress(done, all)`; `cancelled()` is asked often. Throws FileError if Snakemake
/// fails before it has begun any; Cancelled. The caller holds the CohortLock, has written the plan,
/// and Snakemake holds the lock, too, as long as it lives.
void runEngine(const CohortPlan& plan, const std::string& output, const EngineOptions& options,
               const std::function<void(std::size_t done, std::size_t all)>& progress,
               const std::function<bool()>& cancelled);

} // namespace systole
