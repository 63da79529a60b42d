#include "app/features/cardiac/live_strain.h"

#include "app/anatomy/strain_labels.h"
#include "compute/core/elapsed.h"
#include "compute/motion/motion_errors.h"
#include "compute/surface/segment.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace systole {
namespace {

/// Fraction of the device's free memory: the estimation and the picture need most of it.
constexpr double deviceShare = 0.1;

StrainLabels labelsOf(const LiveStrainTask& task, std::vector<int>& numbers,
                      const ExecContext& ctx) {
    if (!task.labels && task.file.empty())
        return strainLabels(task.grid, task.points);
    if (!task.labels)
        return readStrainLabels(task.file, task.grid, task.roles, ctx, &numbers);
    const cardiac::LabelRoles roles =
        cardiac::rolesOf(*task.labels, task.grid.size(), {chamberLabel, wallLabel, 0});
    return {roles, std::make_shared<const cardiac::TissueMap>(
                       cardiac::tissueOf(*task.labels, task.grid, roles))};
}

} // namespace

/// None if the errors of a frame aren't known, or its motion has been forgotten meanwhile.
cardiac::DrawnErrors LiveStrainWork::drawnErrors(const cardiac::VentricleMotion& motion,
                                                 const ExecContext& ctx) {
    double done = 0;
    for (auto& [frame, carried] : carried_) {
        const auto result = carried.from.lock();
        ctx.report("errors of the motion", 0.5 * done++ / static_cast<double>(carried_.size()));
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
    gapThere_.reset();
    residual_ = {};
}

void LiveStrainWork::follow(std::span<const std::shared_ptr<const FrameResult>> steps,
                            const ExecContext& ctx) {
    const auto last = carried_.find(static_cast<int>(steps.size()) - 1);
    if (last == carried_.end())
        return;
    if constexpr (cudaIsBuilt)
        if (onDevice_) {
            std::vector<std::shared_ptr<const VectorField>> there;
            for (const auto& step : steps)
                there.push_back(step->device->field);
            const std::span all(std::as_const(there));
            const auto lengthOf = [&](const cardiac::TissueMotion& motion) {
                return cardiac::meanLength(tissueThere_->ofWall(motion, ctx));
            };
            gapThere_ = tissueThere_->followed(last->second.onDevice, all.last(1), ctx);
            residual_ = {.steps = lengthOf(tissueThere_->followed({}, all, ctx)),
                         .measured = lengthOf(*gapThere_)};
            return;
        }
    gap_ = {cardiac::followed(ventricle_->wall, last->second.wall, steps.last(1)),
            cardiac::followed(ventricle_->cavity, last->second.cavity, steps.last(1))};
    residual_ = {.steps = cardiac::meanLength(cardiac::followed(ventricle_->wall, {}, steps)),
                 .measured = cardiac::meanLength(gap_->wall)};
}

/// The reference has no part in the gap.
void LiveStrainWork::close(const Beat& beat, cardiac::VentricleMotion& motion,
                           cardiac::FrameChanges& changes, const ExecContext& ctx) const {
    if (gap_)
        closeGap(*gap_, beat, motion);
    std::size_t t = 0;
    for (const auto& [frame, carried] : carried_) {
        ++t;
        if constexpr (cudaIsBuilt)
            if (onDevice_) {
                changes[t] = std::make_shared<const cardiac::FrameChange>(
                    fitsThere_->change(tissueThere_->closed(carried.onDevice, *gapThere_,
                                                            gapPart(beat, motion, t), ctx),
                                       ctx));
                continue;
            }
        changes[t] = std::make_shared<const cardiac::FrameChange>(
            fits_->change(motion.wall[t], motion.cavity[t], ctx));
    }
}

/// Axes and fits are of the labels alone.
void LiveStrainWork::findVentricle(const LiveStrainTask& task, StrainOutcome& made,
                                   ExecContext& ctx) {
    const bool same = ventricle_ && labels_ == task.ventricle;
    if (same && fits_ && task.options.order == options_.order)
        return;
    meter_.reset();
    fitsThere_.reset();
    tissueThere_.reset();
    fits_.reset();
    forgetMotion();
    if (!same) {
        ventricle_.reset();
        ctx.report("axes of the wall", 0.1);
        made.fileLabels.clear();
        StrainLabels labels = labelsOf(task, made.fileLabels, ctx);
        StrainPoints points{task.points};
        if (!task.labels && !task.file.empty())
            points = strainPoints(task.points, task.file, task.frame);
        labels.notes.insert(labels.notes.end(), points.notes.begin(), points.notes.end());
        fileLabels_ = made.fileLabels;
        made.roles = roles_ = labels.roles;
        ventricle_ = std::make_shared<const cardiac::Ventricle>(
            notedVentricle(*labels.tissue, points.given, labels.notes, ctx));
        labels_ = task.ventricle;
    }
    ctx.report("lines across the wall", 0.2);
    fits_ = std::make_unique<const cardiac::VentricleFits>(*ventricle_, task.options.order, ctx);
    options_ = task.options; // even if the rest of this task fails
    cardiac::VentricleMotion still;
    still.addReference(*ventricle_, task.frame);
    reference_ = {std::move(still.wall.front()), std::move(still.cavity.front())};
}

/// Prepares objects that are made once where the task is measured, on the device or on the host.
void LiveStrainWork::prepare(const LiveStrainTask& task, const ExecContext& ctx) {
    const bool onDevice = ctx.cuda != nullptr;
    if (motion_ != task.motion || onDevice != onDevice_)
        forgetMotion();
    if (onDevice != onDevice_) {
        reference_.change.reset();
        meter_.reset();
    }
    motion_ = task.motion;
    onDevice_ = onDevice;
    if (!meter_ || task.options != options_)
        meter_ = std::make_unique<const cardiac::VentricleMeter>(*fits_, task.options, ctx);
    options_ = task.options;
    if constexpr (cudaIsBuilt) {
        if (onDevice && !fitsThere_)
            fitsThere_ = std::make_unique<const cardiac::FitsOnDevice>(*fits_, ctx);
        if (onDevice && !tissueThere_)
            tissueThere_ = std::make_unique<const cardiac::TissueOnDevice>(*ventricle_, ctx);
        if (onDevice && !reference_.change)
            reference_.change =
                std::make_shared<const cardiac::FrameChange>(fitsThere_->atRest(ctx));
    }
}

void LiveStrainWork::take(const std::shared_ptr<const FrameResult>& result,
                          const ExecContext& ctx) {
    ctx.throwIfCancelled();
    Carried& carried = carried_[result->movingFrame];
    carried = {{}, {}, {}, result};
    if constexpr (cudaIsBuilt)
        if (onDevice_) {
            const VectorField& field = *result->device->field;
            carried.change =
                std::make_shared<const cardiac::FrameChange>(fitsThere_->change(field, ctx));
            carried.onDevice = tissueThere_->motionIn(field, ctx);
            return;
        }
    const MillimeterField field = toMillimeters(*result->field, *ctx.pool);
    carried.wall = cardiac::displacementsIn(ventricle_->wall, field);
    carried.cavity = cardiac::displacementsIn(ventricle_->cavity, field);
}

void LiveStrainWork::addTo(cardiac::VentricleMotion& motion, cardiac::FrameChanges& changes,
                           Carried& carried, const ExecContext& ctx) const {
    ctx.throwIfCancelled();
    if (!carried.change)
        carried.change = std::make_shared<const cardiac::FrameChange>(
            fits_->change(carried.wall, carried.cavity, ctx));
    changes.push_back(carried.change);
    if (onDevice_)
        return;
    motion.wall.push_back(carried.wall);
    motion.cavity.push_back(carried.cavity);
}

void LiveStrainWork::measure(const LiveStrainTask& task, StrainOutcome& made,
                             const ExecContext& ctx) {
    prepare(task, ctx);
    for (const auto& result : task.fresh)
        take(result, ctx);
    cardiac::VentricleMotion& motion = made.motion;
    cardiac::FrameChanges changes;
    motion.frame = {task.frame};
    motion.timeSeconds = {0};
    addTo(motion, changes, reference_, ctx);
    for (auto& [frame, carried] : carried_) {
        motion.frame.push_back(frame);
        motion.timeSeconds.push_back(task.seconds[static_cast<std::size_t>(frame)]);
        addTo(motion, changes, carried, ctx);
    }
    cardiac::DrawnErrors drawn;
    if (task.standardErrors)
        drawn = drawnErrors(motion, ctx);
    made.beat = beatOf(task.seconds);
    if (!task.steps.empty())
        follow(task.steps, ctx);
    made.residual = residual_;
    made.residual.closed = task.closeCycle && (gap_ || gapThere_);
    if (made.residual.closed)
        close(made.beat, motion, changes, ctx);
    if (const auto place = placeOf(motion, task.endDiastole))
        std::ranges::rotate(changes, changes.begin() + *place);
    beginAt(task.endDiastole, made.beat, motion, drawn);
    made.measures = meter_->measure(motion, changes, ctx);
    made.summary = cardiac::summaryOf(made.measures, motion, std::nullopt);
    made.ventricle = ventricle_;
    addErrors(*fits_, drawn, task.options, task.errorBound, ctx, made);
}

void LiveStrainWork::run(const LiveStrainTask& task, StrainOutcome& made, ExecContext& ctx) {
    const auto begin = std::chrono::steady_clock::now();
    made.fileLabels = fileLabels_;
    made.roles = roles_;
    findVentricle(task, made, ctx);
    if (task.onDevice) {
        if (!device_)
            device_.emplace(BackendChoice{Backend::Cuda, "the motion is there"},
                            CudaContext::Options{.share = deviceShare});
        device_->run(ctx, [&](const ExecContext& there) { measure(task, made, there); });
    } else {
        measure(task, made, ctx);
    }
    made.seconds = secondsSince(begin);
}

} // namespace systole
