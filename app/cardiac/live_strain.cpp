#include "app/cardiac/live_strain.h"

#include "app/cardiac/strain_labels.h"
#include "compute/core/elapsed.h"
#include "compute/surface/segment.h"

#include <chrono>

namespace systole {
namespace {

std::shared_ptr<const cardiac::TissueMap> tissueOf(const LiveStrainTask& task,
                                                   const ExecContext& ctx) {
    if (!task.labels && task.file.empty())
        return strainLabels(task.grid, task.points).tissue;
    if (!task.labels)
        return readStrainLabels(task.file, ctx).tissue;
    return std::make_shared<const cardiac::TissueMap>(cardiac::tissueOf(
        *task.labels, task.grid,
        cardiac::rolesOf(*task.labels, task.grid.size(), {chamberLabel, wallLabel, 0})));
}

} // namespace

void LiveStrainWork::run(const LiveStrainTask& task, StrainOutcome& made, ExecContext& ctx) {
    const auto begin = std::chrono::steady_clock::now();
    if (!ventricle_ || labels_ != task.ventricle) {
        ventricle_.reset();
        carried_.clear();
        ctx.report("axes of the wall", 0.1);
        ventricle_ = std::make_shared<const cardiac::Ventricle>(
            cardiac::ventricleOf(*tissueOf(task, ctx), task.points, ctx));
        labels_ = task.ventricle;
    }
    if (motion_ != task.motion)
        carried_.clear();
    motion_ = task.motion;
    for (const auto& result : task.fresh) {
        ctx.throwIfCancelled();
        const MillimeterField field = toMillimeters(*result->field, *ctx.pool);
        carried_[result->movingFrame] = {cardiac::displacementsIn(ventricle_->wall, field),
                                         cardiac::displacementsIn(ventricle_->cavity, field)};
    }
    made.motion.addReference(*ventricle_, task.frame);
    for (const auto& [frame, carried] : carried_) {
        made.motion.frame.push_back(frame);
        made.motion.timeSeconds.push_back(task.seconds[static_cast<std::size_t>(frame)]);
        made.motion.wall.push_back(carried.wall);
        made.motion.cavity.push_back(carried.cavity);
    }
    if (const auto place = placeOf(made.motion, task.endDiastole))
        made.motion.beginAt(static_cast<std::size_t>(*place));
    made.measures = cardiac::measuresOf(*ventricle_, made.motion, task.options, ctx);
    made.summary = cardiac::summaryOf(made.measures, made.motion, std::nullopt);
    made.ventricle = ventricle_;
    made.seconds = secondsSince(begin);
}

} // namespace systole
