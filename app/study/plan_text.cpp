#include "app/study/plan_text.h"

#include "app/base/plural.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace systole {
namespace {

std::string lineOf(const PlannedCase& planned, bool withDevice) {
    if (!planned.refusal.empty())
        return fmt::format("{:32} can't be processed: {}\n", planned.entry.id, planned.refusal);
    std::uint64_t bytes = 0, device = 0;
    double seconds = 0;
    std::vector<std::string> steps;
    for (const CohortStep& step : planned.steps) {
        bytes = std::max(bytes, step.bytes);
        device = std::max(device, step.deviceBytes);
        seconds += step.seconds;
        steps.push_back(step.name);
    }
    return fmt::format("{:32} {:>7} {:>14} {:>10}{} {:>8.1f}  {}\n", planned.entry.id,
                       planned.frames, fmt::format("{}", fmt::join(planned.size, "x")),
                       bytes / 1000000, withDevice ? fmt::format(" {:>10}", device / 1000000) : "",
                       seconds, fmt::join(steps, ", "));
}

} // namespace

std::string withoutStrainText(const std::vector<PlannedCase>& cases) {
    const auto lacksStrain = [](const PlannedCase& each) {
        return each.refusal.empty() &&
               std::ranges::find(each.steps, strainStep, &CohortStep::name) == each.steps.end();
    };
    const auto count = std::ranges::count_if(cases, lacksStrain);
    return count == 0
               ? ""
               : fmt::format("{} without a label map, so without strain\n", plural(count, "case"));
}

std::string planText(const CohortPlan& plan, const std::vector<std::string>& refusals,
                     bool withDevice) {
    std::string text = fmt::format("{:32} {:>7} {:>14} {:>10}{} {:>8}  steps\n", "case", "frames",
                                   "voxels", "MB", withDevice ? "  MB of GPU" : "", "seconds");
    std::int64_t possible = 0;
    double seconds = 0;
    bool timesAreKnown = true;
    for (const PlannedCase& each : plan.cases) {
        text += lineOf(each, withDevice);
        possible += each.refusal.empty() ? 1 : 0;
        for (const CohortStep& step : each.steps) {
            seconds += step.seconds;
            timesAreKnown = timesAreKnown && step.seconds > 0;
        }
    }
    for (const std::string& refusal : refusals)
        text += fmt::format("no case: {}\n", refusal);
    text += withoutStrainText(plan.cases);
    text += fmt::format(
        "{} of {} can be processed. Estimated time: {:.0f} s one after the other{}\n", possible,
        plural(std::ssize(plan.cases), "case"), std::ceil(seconds),
        timesAreKnown ? "" : " (motion only; other steps are known once a case is done)");
    return text;
}

} // namespace systole
