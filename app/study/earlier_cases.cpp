#include "app/study/cohort_plan.h"
#include "app/study/step_record.h"

#include <algorithm>

namespace systole {
namespace {

const std::string& idOf(const PlannedCase& planned) { return planned.entry.id; }

bool isDone(const CohortPlan& plan, const std::string& output, const PlannedCase& planned) {
    return planned.refusal.empty() && !planned.steps.empty() &&
           std::ranges::all_of(planned.steps, [&](const CohortStep& step) {
               return recordHolds(plan, output, planned, step);
           });
}

bool readsTheSame(const CohortCase& a, const CohortCase& b) {
    return a.image == b.image && a.labels == b.labels && a.frames == b.frames && a.seed == b.seed &&
           a.points == b.points;
}

/// True if a case of the last run that is planned again stays as it is, instead of the new plan: it
/// is finished, and its image or labels can't be read now or aren't on this computer, or its labels
/// weren't found while a part of the study couldn't be read.
bool staysAsItIs(CohortPlan& plan, const std::string& output, PlannedCase& earlier,
                 const PlannedCase& now, bool isAbsent) {
    const bool isUnread = now.inputUnread && readsTheSame(now.entry, earlier.entry);
    const bool lacksLabels = !plan.unread.empty() && now.entry.labels.empty() &&
                             !earlier.entry.labels.empty() &&
                             now.entry.image == earlier.entry.image;
    earlier.inputUnread = isAbsent || lacksLabels;
    if ((!earlier.inputUnread && !isUnread) || !isDone(plan, output, earlier))
        return false;
    if (isUnread)
        plan.unread.push_back(now.refusal);
    return true;
}

} // namespace

std::string keepEarlierCases(CohortPlan& plan, const std::string& output, bool wholeStudy) {
    if (!hasPlan(output))
        return {};
    std::vector<PlannedCase> known;
    try {
        known = allCases(readPlan(output));
    } catch (const UnusablePlan& error) {
        return error.reason;
    }
    const bool isWhole = wholeStudy && plan.unread.empty();
    const bool isUnread = !plan.unread.empty();
    for (PlannedCase& earlier : known) {
        const bool ofStudy = earlier.input == plan.input;
        const bool isAbsent = ofStudy && (plan.absent.contains(earlier.entry.image) ||
                                          plan.absent.contains(earlier.entry.labels));
        earlier.inputUnread = isAbsent;
        const auto now = std::ranges::lower_bound(plan.cases, idOf(earlier), {}, idOf);
        if (now != plan.cases.end() && idOf(*now) == idOf(earlier)) {
            if (!staysAsItIs(plan, output, earlier, *now, isAbsent))
                continue;
            plan.cases.erase(now);
        } else if (isAbsent ? !isDone(plan, output, earlier) : ofStudy && isWhole) {
            continue;
        } else if (ofStudy && isUnread) {
            earlier.inputUnread = true;
        }
        plan.earlier.push_back(std::move(earlier));
    }
    return {};
}

} // namespace systole
