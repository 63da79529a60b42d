// How long the steps of a plan should take.
#pragma once

#include "app/study/cohort_plan.h"
#include "compute/model/machine.h"

#include <string>

namespace systole {

/// Sets CohortStep::seconds. Where steps of this name have been done in the folder of the cohort:
/// the median of their seconds a voxel and frame. Else of motion its estimations alone: on a GPU
/// the bytes that they move at its memory bandwidth (`machine`, the laboratory's figures of it),
/// without one by a small estimation that is timed; of other steps 0.
void addExpectedTimes(CohortPlan& plan, const std::string& output,
                      const model::GpuMachine* machine);

} // namespace systole
