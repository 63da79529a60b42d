// The plan of a cohort for who looks at it.
#pragma once

#include "app/cohort/cohort_plan.h"

#include <string>
#include <vector>

namespace systole {

/// A line for each case, one for each of `refusals`, and how many cases can be processed in which
/// time.
std::string planText(const CohortPlan& plan, const std::vector<std::string>& refusals);

} // namespace systole
