// One step of one case, done by a process of its own, which the engine starts.
#pragma once

#include "app/cohort/cohort_plan.h"

#include <string>

namespace systole {

/// Why a step isn't done: what the command said, or that a signal ended it.
struct StepFailure {
    std::string step, sentence;
};

/// Does the step unless its record holds: into a temporary folder, which is renamed, and then the
/// record. Waits while another process does the same step. True: it is done. False: it failed, and
/// the sentence is kept for the report and printed. Throws FileError where the folder of the
/// cohort can't be written to.
bool runStep(const CohortPlan& plan, const std::string& output, const std::string& id,
             const std::string& step);

/// What hinders a case of the plan: the failures of its steps, or that the record of one doesn't
/// hold for another reason; empty: all is done.
std::vector<StepFailure> failuresOf(const CohortPlan& plan, const PlannedCase& planned,
                                    const std::string& output);

} // namespace systole
