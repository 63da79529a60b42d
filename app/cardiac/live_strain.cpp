#include "app/cardiac/live_strain.h"

#include "app/cardiac/strain_labels.h"
#include "compute/core/elapsed.h"
#include "compute/motion/motion_errors.h"
#include "compute/surface/segment.h"

#include <chrono>
#include <tuple>
#include <utility>

namespace systole {
namespace {

std::shared_ptr<const cardiac::TissueMap> tissueOf(const LiveStrainTask& task,
                                                   const ExecContext& ctx) {
    if (!task.labels && task.file.empty())
        return strainLabels(task.grid, task.points).tissue;
    if (!task.labels)
        return readStrainLabels(task.file, task.grid, task.roles, ctx).tissue;
    return std::make_shared<const cardiac::TissueMap>(cardiac::tissueOf(
        *task.labels, task.grid,
        cardiac::rolesOf(*task.labels, task.grid.size(), {chamberLabel, wallLabel, 0})));
}

} // namespace

/// None if the errors of a frame aren't known, or its motion has been forgotten meanwhile.
cardiac::DrawnErrors LiveStrainWork::drawnErrors(const cardiac::VentricleMotion& motion,
                                                 const ExecContext& ctx) {
    for (auto& [frame, carried] : carried_) {
        const auto result = carried.from.lock();
        if (!carried.errors.empty())
            continue;
        if (!result || !result->errors)
            return {};
        decltype(carried.errors) errors; // all of them or none
        drawErrors(
            *result, usualDraws,
            [&](const MillimeterField& draw) {
                errors.push_back({cardiac::displacementsIn(ventricle_->wall, draw),
                                  cardiac::displacementsIn(ventricle_->cavity, draw),
                                  {}});
            },
            ctx);
        carried.errors = std::move(errors);
    }
    cardiac::DrawnErrors drawn(carried_.empty() ? 0 : usualDraws);
    for (std::size_t n = 0; n < drawn.size(); ++n) {
        drawn[n].addReference(*ventricle_, motion.frame.front());
        drawn[n].frame = motion.frame;
        drawn[n].timeSeconds = motion.timeSeconds;
        for (const auto& [frame, carried] : carried_) {
            drawn[n].wall.push_back(carried.errors[n].wall);
            drawn[n].cavity.push_back(carried.errors[n].cavity);
        }
    }
    return drawn;
}

void LiveStrainWork::forgetMotion() {
    carried_.clear();
    gap_.reset();
    residual_ = {};
}

void LiveStrainWork::follow(std::span<const std::shared_ptr<const FrameResult>> steps) {
    const auto last = carried_.find(static_cast<int>(steps.size()) - 1);
    if (last == carried_.end())
        return;
    const auto& [wall, cavity] = std::tie(ventricle_->wall, ventricle_->cavity);
    gap_ = {followed(wall, last->second.wall, steps.last(1)),
            followed(cavity, last->second.cavity, steps.last(1))};
    residual_ = {.steps = meanLength(followed(wall, {}, steps)),
                 .measured = meanLength(gap_->wall)};
}

void LiveStrainWork::run(const LiveStrainTask& task, StrainOutcome& made, ExecContext& ctx) {
    const auto begin = std::chrono::steady_clock::now();
    if (!ventricle_ || labels_ != task.ventricle) {
        ventricle_.reset();
        forgetMotion();
        ctx.report("axes of the wall", 0.1);
        ventricle_ = std::make_shared<const cardiac::Ventricle>(
            cardiac::ventricleOf(*tissueOf(task, ctx), task.points, ctx));
        labels_ = task.ventricle;
    }
    if (motion_ != task.motion)
        forgetMotion();
    motion_ = task.motion;
    for (const auto& result : task.fresh) {
        ctx.throwIfCancelled();
        const MillimeterField field = toMillimeters(*result->field, *ctx.pool);
        carried_[result->movingFrame] = {cardiac::displacementsIn(ventricle_->wall, field),
                                         cardiac::displacementsIn(ventricle_->cavity, field),
                                         result};
    }
    made.motion.addReference(*ventricle_, task.frame);
    for (const auto& [frame, carried] : carried_) {
        made.motion.frame.push_back(frame);
        made.motion.timeSeconds.push_back(task.seconds[static_cast<std::size_t>(frame)]);
        made.motion.wall.push_back(carried.wall);
        made.motion.cavity.push_back(carried.cavity);
    }
    cardiac::DrawnErrors drawn;
    if (task.standardErrors)
        drawn = drawnErrors(made.motion, ctx);
    made.beat = beatOf(task.seconds);
    if (!task.steps.empty())
        follow(task.steps);
    made.residual = residual_;
    made.residual.closed = task.closeCycle && gap_;
    if (made.residual.closed)
        closeGap(*gap_, made.beat, made.motion);
    beginAt(task.endDiastole, made.beat, made.motion, drawn);
    made.measures = cardiac::measuresOf(*ventricle_, made.motion, task.options, ctx);
    made.summary = cardiac::summaryOf(made.measures, made.motion, std::nullopt);
    made.ventricle = ventricle_;
    addErrors(drawn, task.options, task.errorBound, ctx, made);
    made.seconds = secondsSince(begin);
}

} // namespace systole
