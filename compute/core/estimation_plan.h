// An estimation as a plan: its memory, and the sequence of its steps for inputs of one shape. A
// method writes its plan once, as a template over the host and a device (compute/ops/on_host.h).
#pragma once

#include "compute/core/motion_estimator.h"

#include <functional>

namespace systole {

/// The input shape that a plan is made for; another shape needs another plan.
struct PlanShape {
    Size3 size;
    Vec3 spacing;
    bool weighted = false; ///< volume preservation has a spatial weight
    bool fixedMask = false, movingMask = false;

    bool operator==(const PlanShape&) const = default;
};

inline PlanShape planShape(const MotionInput& input) {
    return {input.fixed.size, input.spacing, !input.incompressibility.empty(),
            !input.fixedMask.empty(), !input.movingMask.empty()};
}

/// A step of an estimation: one iteration of a level's outer loop. Pointers are to the memory where
/// the plan runs.
struct PlanStep {
    double done = 0;                ///< fraction of all steps, 0–1
    int level = 0;                  ///< 0 is the finest
    int iteration = 0;              ///< iteration of this level, from 1
    FieldView<const float> field;   ///< current field, on this level's grid or half of it
    const double* energy = nullptr; ///< null if not computed
};
using PlanObserver = std::function<void(const PlanStep&)>;

/// Runs a plan on the host; DeviceEstimator (compute/cuda/replay.cuh), which says what a plan
/// provides, runs it on a device. Here bytes() counts scratch, too, acquire() takes a BufferPool,
/// and the ExecContext stands for the log of launches.
template <typename Plan>
class HostEstimator : public MotionEstimator {
public:
    using Parameters = typename Plan::Parameters;

    explicit HostEstimator(const Parameters& parameters) : parameters_(parameters) {}

    std::size_t memoryEstimate(Size3 size, Vec3 spacing) const override {
        return Plan(parameters_, {size, spacing, true}).bytes();
    }
    int reach() const override { return Plan::reach(parameters_); }

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        Plan plan(parameters_, planShape(input));
        plan.acquire(*ctx.pool);
        *plan.report() = {};
        plan.begin(input, displacement, ctx);
        plan.enqueue(ctx, static_cast<bool>(ctx.iteration), [&](const PlanStep& step) {
            if (ctx.iteration)
                ctx.iteration({step.level, step.iteration, *step.energy, step.field});
        });
        copy(plan.result(), displacement);
        return plan.read(*plan.report());
    }

private:
    Parameters parameters_;
};

} // namespace systole
