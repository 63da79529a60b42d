// One step of one case, whose commands are done by processes, or by this one.
#pragma once

#include "app/study/cohort_plan.h"
#include "app/study/device_lease.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

/// The failure of a step: the error of its command, or the signal that ended it.
struct StepFailure {
    std::string step, sentence;
};

/// Runs a command, its name first, in this process; returns its exit code and passes on its
/// exceptions. `device`: the one on which it has a lease; null: none.
using CommandRunner =
    std::function<int(const std::vector<std::string>& words, const LeasableDevice* device)>;

/// A process that does the commands of many steps itself, several at a time.
struct SharedProcess {
    CommandRunner run;
    LeasePlaces places;
};

/// Does the step unless its record holds: into a temporary folder, which is renamed, and then the
/// record. Waits while another process does the same step. True: it is done. False: it failed, and
/// the sentence is kept for the report and printed. Throws FileError where the folder of the
/// cohort can't be written to. `shared` does its commands, and its sentence isn't kept: alone the
/// step may succeed; null: processes of their own do them.
bool runStep(const CohortPlan& plan, const std::string& output, const std::string& id,
             const std::string& step, SharedProcess* shared = nullptr);

/// Removes what is temporary of a case whose steps are all done (CohortStep::temporary). Throws
/// FileError.
void removeTemporary(const CohortPlan& plan, const std::string& output, const PlannedCase& planned);

/// Reasons why a case of the plan isn't done: the failures of its steps, or that the record of one
/// doesn't hold for another reason; empty: it is done.
std::vector<StepFailure> failuresOf(const CohortPlan& plan, const PlannedCase& planned,
                                    const std::string& output);

} // namespace systole
