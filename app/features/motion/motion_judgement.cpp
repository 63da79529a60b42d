#include "app/features/motion/motion_judgement.h"

#include "compute/measures/outcome.h"
#include "compute/motion/residual_warning.h"
#include "compute/ops/jacobian.h"

#include <fmt/format.h>

namespace systole {
namespace {

MotionOutcome outcomeOf(const FieldRecord& written, const VectorField& field,
                        const ExecContext& ctx) {
    MotionOutcome outcome{.voxels = written.voxels,
                          .folded = written.jacobian.folded,
                          .smallestDeterminant = written.jacobian.smallest,
                          .largestDeterminant = written.jacobian.largest};
    if (outcome.folded > 0)
        outcome.meanDeterminant = volumeChange(field.view(), {}, ctx).mean;
    if (!written.report.levels.empty()) // slabs may have none
        outcome.figures = written.report.levels.front().figures;
    return outcome;
}

} // namespace

void judge(const FieldRecord& written, const FrameResult& result, const MotionJob& job,
           const ExecContext& ctx, MotionRecord& record) {
    if (record.residualWarning.empty())
        record.residualWarning = residualWarning(result, record.scale, &job.parameters);
    if (!record.doubts.empty())
        return;
    for (const std::string& doubt : doubtsAbout(outcomeOf(written, *result.field, ctx)))
        record.doubts.push_back(
            fmt::format("frame {} to {}: {}", written.fixed, written.moving, doubt));
}

} // namespace systole
