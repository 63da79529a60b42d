#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/cuda/workspace.h"
#include "compute/methods/unbiased/steps.h"
#include "compute/methods/unbiased/unbiased.h"
#include "compute/ops/frame_masks.h"
#include "compute/ops/resample.h"
#include "compute/ops/smooth.h"

#include <algorithm>
#include <utility>

namespace systole {
namespace {

using unbiased::Check;
using unbiased::Frames;
using unbiased::StepState;

/// Each buffer has the finest level's size; coarser levels use its beginning.
struct Buffers {
    /// `input` says which masks there are.
    Buffers(std::vector<PyramidLevel> levels, Workspace& memory, const MotionInput& input = {})
        : space(memory)
        , pyramid(std::move(levels), false, memory)
        , masks(pyramid.levels(), input, memory) {
        if (!masks.empty())
            compared = space.add<float>("masked fixed frame", pyramid.levels()[0].size.voxels());
        for (auto* field : {&motion, &candidate, &force, &next, &velocity})
            *field = space.add<float>("unbiased, field", 3 * pyramid.levels()[0].size.voxels());
    }
    FieldView<float> field(Workspace::Block<float> block, Size3 size) const {
        return {space.data(block), size};
    }
    Frames frames(std::size_t level) const { return {pyramid.fixed(level), pyramid.moving(level)}; }

    Workspace& space;
    Pyramid pyramid;
    MaskPyramid masks;
    Workspace::Block<float> compared; ///< with masks: the fixed frame, T∘h where it doesn't count
    Workspace::Block<float> motion, candidate;
    Workspace::Block<float> force, next; ///< smoothed, at the motion; at the candidate
    Workspace::Block<float> velocity;
};

/// The steps of an iteration, as plain loops or as the fast implementation.
struct Steps {
    decltype(&unbiased::force) force;
    decltype(&unbiased::transport) transport;
};
constexpr Steps fastSteps{unbiased::force, unbiased::transport};
constexpr Steps plainSteps{unbiased::forceReference, unbiased::transportReference};

class UnbiasedCpu : public MotionEstimator {
public:
    UnbiasedCpu(const UnbiasedParameters& parameters, const Steps& steps)
        : p_(parameters), steps_(steps) {}

    std::size_t memoryEstimate(Size3 size) const override {
        Workspace space;
        const Buffers buffers(pyramidLevels(size, {1, 1, 1}, p_.levels), space);
        return space.bytes() + Pyramid::decimateBytes(size);
    }
    int reach() const override { return p_.reach(); }

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        Workspace space;
        Buffers b(pyramidLevels(input.fixed.size, input.spacing, p_.levels), space, input);
        space.acquire(*ctx.pool);
        const std::vector<PyramidLevel>& levels = b.pyramid.levels();
        {
            ScopedSpan span(ctx.profile, "pyramid", "pyramid");
            span.setWork(b.pyramid.build(input, ctx), 0);
            b.masks.build(input, ctx);
        }
        downsampleField(displacement, totalFactor(levels), b.field(b.motion, levels.back().size),
                        ctx);
        MotionReport report;
        for (std::size_t level = levels.size(); level-- > 0;) {
            ctx.report("motion estimation",
                       1 - static_cast<double>(level + 1) / static_cast<double>(levels.size()));
            report.levels.push_back(
                unbiased::reportOf(levels[level].size, estimateLevel(b, level, ctx)));
            if (level > 0) {
                const ScopedSpan span(ctx.profile, "pyramid", "upsample field");
                upsampleField(b.field(b.motion, levels[level].size), levels[level].factor,
                              b.field(b.candidate, levels[level - 1].size), ctx);
                std::swap(b.motion, b.candidate);
            }
        }
        copy(b.field(b.motion, levels[0].size), displacement);
        report.finish();
        return report;
    }

private:
    StepState estimateLevel(Buffers& b, std::size_t level, const ExecContext& ctx) const {
        const PyramidLevel& grid = b.pyramid.levels()[level];
        const unbiased::StepRule rule = p_.stepRule();
        StepState state = unbiased::startOf(rule, unfold(b, level, ctx).energy);
        smooth(b.field(b.force, grid.size), grid.alongAxes(p_.sigma), ctx);
        while (state.iterations < p_.iterations && !state.done) {
            moveBy(state, grid, b, ctx);
            judge(state, rule, computeForce(b, level, b.candidate, b.next, ctx));
            if (!state.rejected) {
                std::swap(b.motion, b.candidate);
                std::swap(b.force, b.next);
                smooth(b.field(b.force, grid.size), grid.alongAxes(p_.sigma), ctx);
            }
            if (ctx.iteration)
                ctx.iteration({static_cast<int>(level), state.iterations, state.energy,
                               b.field(b.motion, grid.size)});
        }
        return state;
    }

    /// Makes the start acceptable (unfoldingSigmas), and computes its force.
    Check unfold(const Buffers& b, std::size_t level, const ExecContext& ctx) const {
        const Size3 size = b.pyramid.levels()[level].size;
        const FieldView<float> start = b.field(b.motion, size);
        Check result = computeForce(b, level, b.motion, b.force, ctx);
        for (const double sigma : unbiased::unfoldingSigmas) {
            if (result.folded == 0)
                return result;
            smooth(start, {sigma, sigma, sigma}, ctx);
            result = computeForce(b, level, b.motion, b.force, ctx);
        }
        if (result.folded == 0)
            return result;
        std::fill_n(start.u, 3 * size.voxels(), 0.0f);
        return computeForce(b, level, b.motion, b.force, ctx);
    }

    Check computeForce(const Buffers& b, std::size_t level, Workspace::Block<float> motion,
                       Workspace::Block<float> out, const ExecContext& ctx) const {
        const PyramidLevel& grid = b.pyramid.levels()[level];
        const ScopedSpan span(ctx.profile, "force", "force and energy",
                              32.0 * static_cast<double>(grid.size.voxels()));
        Frames frames = b.frames(level);
        if (!b.masks.empty()) {
            const FieldView<float> h = b.field(motion, grid.size);
            const VolumeView<float> compared(b.space.data(b.compared), grid.size);
            warpVolume(frames.moving, h, compared, {}, ctx);
            mixByMasks(b.masks.at(level), h, compared, frames.fixed, compared, ctx);
            frames.fixed = compared;
        }
        return steps_.force(frames, b.field(motion, grid.size), p_.forceRule(grid),
                            b.field(out, grid.size), ctx);
    }

    static void smooth(FieldView<float> field, Vec3 sigma, const ExecContext& ctx) {
        if (!(sigma.x > 0))
            return;
        const ScopedSpan span(ctx.profile, "smooth", "smooth force",
                              3 * smoothingBytes(field.size));
        for (int axis = 0; axis < 3; ++axis) {
            ctx.throwIfCancelled();
            smoothGaussian(field.componentView(axis), field.componentView(axis), sigma, ctx);
        }
    }

    /// The candidate: the motion transported by the velocity, its largest update `state.step`.
    void moveBy(const StepState& state, const PyramidLevel& grid, const Buffers& b,
                const ExecContext& ctx) const {
        const ScopedSpan span(ctx.profile, "update", "update field",
                              96.0 * static_cast<double>(grid.size.voxels()));
        const FieldView<float> motion = b.field(b.motion, grid.size),
                               candidate = b.field(b.candidate, grid.size);
        ctx.throwIfCancelled();
        const float largest = steps_.transport(
            motion, b.field(b.force, grid.size), momentumOf(state, p_.stepRule()),
            b.field(b.velocity, grid.size), p_.forceRule(grid).scale, candidate, ctx);
        const float dt = largest > 0 ? state.step / largest : 0;
        parallelFor(ctx, grid.size.z, 2, [&](int begin, int end) {
            const std::size_t first = candidate.componentView(0).offset(0, 0, begin),
                              last = candidate.componentView(0).offset(0, 0, end);
            for (int axis = 0; axis < 3; ++axis)
                for (std::size_t i = first; i < last; ++i)
                    candidate.component(axis)[i] =
                        motion.component(axis)[i] + dt * candidate.component(axis)[i];
        });
    }

    UnbiasedParameters p_;
    Steps steps_;
};

} // namespace

std::unique_ptr<MotionEstimator> makeUnbiased(const ParamSet& values, Backend backend) {
    const UnbiasedParameters parameters = UnbiasedParameters::from(values);
    if (backend == Backend::Cuda) {
        if constexpr (cudaIsBuilt)
            return makeUnbiasedCuda(parameters);
        else
            throw ComputeError("unbiased has no CUDA implementation here: " + cudaStatus().reason);
    }
    const bool plain = backend == Backend::CpuReference;
    return std::make_unique<UnbiasedCpu>(parameters, plain ? plainSteps : fastSteps);
}

} // namespace systole
