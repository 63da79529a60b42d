#include "compute/cuda/device.h"
#include "compute/cuda/kernel_choice.h"
#include "compute/methods/unbiased/plan.h"
#include "compute/methods/unbiased/rows.h"
#include "compute/methods/unbiased/steps.h"
#include "compute/methods/unbiased/unbiased.h"
#include "compute/ops/exponential.h"
#include "compute/ops/on_host.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/white_noise.h"

#include <algorithm>

namespace systole {
namespace unbiased {
namespace {

/// The steps of an iteration, as plain loops or as the fast implementation.
template <decltype(&unbiased::force) computeForce, decltype(&unbiased::transport) transportField>
class StepsOnHost : public OnHost {
public:
    static constexpr int together = 1;

    StepsOnHost(const UnbiasedParameters&, Size3 size, Workspace& space)
        : space_(space), velocity_(space.add<float>("unbiased, velocity", 3 * size.voxels())) {}
    void acquired(BufferPool&) {}
    void dropGraphs(std::size_t) {}

    FieldView<float> forceOf(const LevelBuffers& b) const { return b.work[held_]; }

    void force(const UnbiasedParameters& p, const LevelBuffers& b, ForceUse use, Run& ctx) {
        if (use == ForceUse::Start && b.state->startFound)
            return;
        const bool candidate = use == ForceUse::Candidate;
        const FieldView<float> h = b.motion[candidate ? 1 - b.state->current : 0];
        const ScopedSpan span(ctx.profile, "force", "force and energy",
                              32.0 * static_cast<double>(b.grid.size.voxels()));
        Frames frames = b.frames;
        if (!b.masks.empty()) {
            warp(frames.moving, h, b.compared, ctx);
            mix(b.masks, h, b.compared, frames.fixed, b.compared, ctx);
            frames.fixed = b.compared;
        }
        ForceRule rule = p.forceRule(b.grid);
        rule.bothSides = use == ForceUse::Start;
        rule.noise = b.state->noise;
        conclude(*b.state, p.stepRule(), use,
                 computeForce(frames, h, rule, b.work[candidate ? 1 - held_ : held_], ctx));
        if (candidate && !b.state->steps.rejected)
            held_ = 1 - held_;
    }

    /// The squares of the frame's derivatives, into b.work[0].
    static void squareGradient(const UnbiasedParameters& p, const LevelBuffers& b,
                               VolumeView<const float> frame, VolumeView<const float> mask,
                               Run& ctx) {
        const ScopedSpan span(ctx.profile, "update", "squared gradient");
        const ForceRule rule = p.forceRule(b.grid);
        overVoxels(frame.size, ctx, [&](int x, int y, int z) {
            const Vector squared = squaredGradient(frame, mask, rule.scale, x, y, z);
            for (int axis = 0; axis < 3; ++axis)
                b.work[0].component(axis)[frame.offset(x, y, z)] = squared.v[axis];
        });
    }
    /// Raises the level's curvature to the largest sum of the three components of b.work[0].
    static void takeCurvature(const LevelBuffers& b, Run& ctx) {
        const ScopedSpan span(ctx.profile, "update", "curvature");
        const FieldView<float> squared = b.work[0];
        const double largest = largestOverVoxels(squared.size, ctx, [&](int x, int y, int z) {
            const std::size_t i = squared.componentView(0).offset(x, y, z);
            return static_cast<double>(squared.u[i] + squared.v[i] + squared.w[i]);
        });
        b.state->curvature = std::max(b.state->curvature, static_cast<float>(largest));
    }

    static void takeNoise(const LevelBuffers& b, Run& ctx) {
        const ScopedSpan span(ctx.profile, "update", "white noise");
        b.state->noise = madeGood * whiteNoise(b.frames.moving, ctx);
    }

    static void rest(const LevelBuffers& b, Run&) {
        if (!b.state->startFound)
            std::fill_n(b.motion[0].u, 3 * b.grid.size.voxels(), 0.0f);
    }

    template <typename Iterate>
    static void repeat(std::size_t, int, Run&, const Iterate& iterate) {
        iterate();
    }

    /// The candidate: the motion transported by the velocity, its largest update `state.step`; or
    /// half the way of one that was undone, without momentum.
    void move(const UnbiasedParameters& p, const LevelBuffers& b, Run& ctx) const {
        const StepState& state = b.state->steps;
        const ScopedSpan span(ctx.profile, "update", "update field",
                              96.0 * static_cast<double>(b.grid.size.voxels()));
        const FieldView<float> motion = b.motion[b.state->current],
                               candidate = b.motion[1 - b.state->current];
        ctx.throwIfCancelled();
        const bool halfway = state.rejected && !(p.momentum > 0);
        float time = 0;
        if (!halfway)
            time = timeStep(state, p.stepRule(),
                            transportField(motion, b.work[held_], momentumOf(state, p.stepRule()),
                                           {space_.data(velocity_), b.grid.size},
                                           p.forceRule(b.grid).scale, candidate, ctx),
                            b.state->curvature);
        overRows(b.grid.size, ctx, [&](int y, int z) {
            for (int axis = 0; axis < 3; ++axis) {
                const float* const from = motion.componentView(axis).row(y, z);
                float* const to = candidate.componentView(axis).row(y, z);
                if (!halfway)
                    rows::advance(from, time, b.grid.size.x, to);
                else
                    for (int x = 0; x < b.grid.size.x; ++x)
                        to[x] = 0.5f * (from[x] + to[x]);
            }
        });
    }

    /// Copies the motion where the next level doesn't write.
    FieldView<float> settle(const LevelBuffers& b, Run&) const {
        copy(b.motion[b.state->current], b.work[1 - held_]);
        return b.work[1 - held_];
    }
    /// Removes folds of the settled motion; the level's other fields are overwritten.
    void removeFolds(const LevelBuffers& b, FieldView<float> settled, Run& ctx) const {
        const ScopedSpan span(ctx.profile, "update", "remove folds",
                              12.0 * static_cast<double>(settled.size.voxels()));
        systole::removeFolds(settled, b.motion[0], b.motion[1].componentView(0), ctx);
    }
    static bool hasEnded(const LevelBuffers& b, Run&) { return b.state->steps.done; }

private:
    Workspace& space_;
    Workspace::Block<float> velocity_;
    int held_ = 0; ///< number of the work field that has the force at the motion
};

} // namespace
} // namespace unbiased

std::unique_ptr<MotionEstimator> makeUnbiased(const ParamSet& values, Backend backend) {
    const UnbiasedParameters parameters = UnbiasedParameters::from(values);
    if (backend == Backend::Cuda) {
        if constexpr (cudaIsBuilt)
            return makeUnbiasedCuda(parameters);
        else
            throwNoCuda("unbiased");
    }
    using namespace unbiased;
    if (backend == Backend::CpuReference)
        return std::make_unique<
            HostEstimator<Plan<StepsOnHost<forceReference, transportReference>>>>(parameters);
    return std::make_unique<HostEstimator<Plan<StepsOnHost<force, transport>>>>(parameters);
}

} // namespace systole
