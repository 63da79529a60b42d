// The report of a cohort: which cases to look at first, its tables, and one page.
#pragma once

#include "app/study/case_quality.h"
#include "app/study/step_run.h"

#include <string>
#include <vector>

namespace systole {

struct ReportedCase {
    const PlannedCase* planned = nullptr;
    std::vector<StepFailure> failures;
    CaseQuality quality; ///< empty if there are failures
    /// Reasons for it being an outlier, the strongest first, a clause each: "drift over the cycle
    /// 3.2 mm (others 0.4 mm)".
    std::vector<std::string> reasons;
    double strangeness = 0; ///< largest distance from the median in robust deviations
};

/// Failures first, then outliers, the strangest first, then the others by id.
std::vector<ReportedCase> reportedCases(const CohortPlan& plan, const std::string& output);

/// Columns participant_id, session_id, case, group, and a measure each; "n/a" where unknown.
std::string measuresTsv(const std::vector<ReportedCase>& cases);
/// Its sidecar, as BIDS describes columns.
std::string measuresSidecar();
/// Participants and their groups, as BIDS wants them beside tables of measures.
std::string participantsTsv(const std::vector<ReportedCase>& cases);
std::string participantsSidecar();
/// Seconds, memory and device of every step.
std::string costsTsv(const std::vector<ReportedCase>& cases, const std::string& output);
std::string costsSidecar();

/// One page without other files and without network.
std::string cohortPage(const CohortPlan& plan, const std::vector<ReportedCase>& cases,
                       const std::string& output);

/// The level "group": reads what the cases have and writes phenotype/measures.tsv,
/// participants.tsv, group_costs.tsv, their sidecars and report.html. Throws FileError.
std::vector<ReportedCase> writeCohortReport(const CohortPlan& plan, const std::string& output);

} // namespace systole
