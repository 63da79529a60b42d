// Expected durations of the steps of a plan.
#pragma once

#include "app/study/cohort_plan.h"
#include "compute/model/machine.h"

#include <string>

namespace systole {

/// Sets CohortStep::seconds. If steps of this name have been done in the folder of the cohort, it
/// follows from the median of their seconds per voxel and frame. Else it is the time of the
/// estimations for the step "motion": on a GPU from the bytes that they move and its memory
/// bandwidth (`machine`, the laboratory's figures of it), without one from a small timed
/// estimation; and 0 for other steps.
void addExpectedTimes(CohortPlan& plan, const std::string& output,
                      const model::GpuMachine* machine);

} // namespace systole
