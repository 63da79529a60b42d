// The plan of a cohort for who looks at it.
#pragma once

#include "app/study/cohort_plan.h"

#include <string>
#include <vector>

namespace systole {

/// A line for each case, one for each of `refusals`, and how many cases can be processed in which
/// time. `withDevice`: a step may run on a GPU, of which it needs memory.
std::string planText(const CohortPlan& plan, const std::vector<std::string>& refusals,
                     bool withDevice);

/// A line that says how many cases have no label map, and so no strain; empty if all have.
std::string withoutStrainText(const std::vector<PlannedCase>& cases);

} // namespace systole
