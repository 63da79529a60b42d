#include "compute/methods/demons/demons.h"

#include "compute/core/bound_params.h"
#include "compute/cuda/device.h"
#include "compute/cuda/kernel_choice.h"
#include "compute/methods/demons/plan.h"
#include "compute/ops/exponential.h"
#include "compute/ops/on_host.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/white_noise.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

struct DemonsOnHost : OnHost {
    DemonsOnHost(Size3, Workspace&) {}
    void acquired(BufferPool&) {}

    static void findNoise(VolumeView<const float> fixed, VolumeView<const float> moving,
                          DemonsNoise* noise, Run& ctx) {
        noise->variance[0] = whiteNoise(fixed, ctx);
        noise->variance[1] = whiteNoise(moving, ctx);
        noise->decide();
    }
    static void forces(int, const DemonsForceInput& input, double* energy, Run& ctx) {
        *energy = demonsForces(input, ctx);
    }
    static const DemonsStep& taken(const DemonsSteps& of) {
        return of.takeSecond && *of.takeSecond ? of.second : of.first;
    }
    static double squaredVoxels(const DemonsSteps& steps) {
        return static_cast<double>(taken(steps).grid.size().voxels());
    }
    /// Multiplies the field's components by `factor` in place.
    static void scale(FieldView<float> field, std::array<float, 3> factor, Run& ctx) {
        const auto plane =
            static_cast<std::size_t>(field.size.x) * static_cast<std::size_t>(field.size.y);
        for (int axis = 0; axis < 3; ++axis) {
            const float by = factor[static_cast<std::size_t>(axis)];
            float* const values = field.component(axis);
            if (by != 1)
                parallelFor(ctx, field.size.z, 2, [&](int begin, int end) {
                    for (std::size_t i = static_cast<std::size_t>(begin) * plane;
                         i < static_cast<std::size_t>(end) * plane; ++i)
                        values[i] *= by;
                });
        }
    }
    /// spare(p) = f·now(p) + f·now(p + f·now(p)); `now` is overwritten. `first`: it is in voxels of
    /// the level.
    static void square(const DemonsSteps& steps, float factor, bool first, Run& ctx) {
        const DemonsStep& step = taken(steps);
        scale(step.now, first ? step.toGrid(factor) : std::array{factor, factor, factor}, ctx);
        composeFields(step.now, step.now, step.spare, ctx);
    }
    /// out(p) = step(p) + field(p + step(p)); the step is overwritten. `squared`: it is in voxels
    /// of its grid.
    static void compose(FieldView<const float> field, const DemonsSteps& steps, bool squared,
                        FieldView<float> out, Run& ctx) {
        const DemonsStep& step = taken(steps);
        if (!step.grid.halves())
            return composeFields(field, step.now, out, ctx);
        if (squared)
            scale(step.now, step.fromGrid(), ctx);
        const FieldView<float> between(step.spare.u, out.size);
        for (int axis = 0; axis < 3; ++axis)
            betweenCells(step.now.componentView(axis), step.grid, between.componentView(axis), ctx);
        composeFields(field, between, out, ctx);
    }
    static void removeFolds(FieldView<float> field, FieldView<float> spare, FieldView<float>,
                            VolumeView<float> marks, Run& ctx) {
        systole::removeFolds(field, spare, marks, ctx);
    }
};

/// Forces: both frames and the motion in, the step out, at every iteration of every level.
double minBytes(const std::string& stage, double, const MotionReport& report) {
    double bytes = 0;
    if (stage == "force")
        for (const MotionReport::Level& level : report.levels)
            bytes += (2 + 3 + 3) * sizeof(float) * static_cast<double>(level.size.voxels()) *
                     level.iterations;
    return bytes;
}

const BoundTable<DemonsParameters>& demonsTable() {
    static const BoundTable<DemonsParameters> all = [] {
        using P = DemonsParameters;
        BoundTable<P> rows;
        rows.add(&P::levels, pyramidLevelsParam(4));
        rows.integer(&P::iterations, "iterations", 20, 1, 1000, "", "Iterations per level.")
            .usually(1, 200)
            .titled("iterations per level");
        rows.real(&P::maxStep, "max-step", 2, 0.1, 8, "voxel",
                  "Maximum length of the step of an iteration.")
            .titled("maximum step");
        rows.real(&P::fluid, "fluid", 1, 0, 8, "voxel",
                  "Standard deviation of the Gaussian that smooths each step (fluid "
                  "regularization). Values up to 1 are in voxels of each axis; larger ones are a "
                  "length in the level's smallest voxels, but at least one voxel of each axis.")
            .titled("step smoothing");
        rows.real(&P::fluidInNoise, "fluid-in-noise", 5, 0, 8, "voxel",
                  "The same for noisy frames, in place of fluid: where the deviations of both "
                  "frames' white noise are more than about 4 % of the gray range (variances that "
                  "add up to more than 200, with gray values of 0 to 255).")
            .titled("smoothing in noise");
        rows.real(&P::diffusion, "diffusion", 1, 0, 8, "voxel",
                  "Standard deviation of the Gaussian that smooths the field after each step "
                  "(diffusion regularization).")
            .titled("field smoothing");
        rows.add(&P::forceVariant, variantParam(demonsForceFamily));
        rows.addPreset("default", {});
        rows.addPreset("noisy", {{"fluid", 5.0}});
        return rows;
    }();
    return all;
}

} // namespace

DemonsParameters DemonsParameters::from(const ParamSet& values) {
    return demonsTable().from(values);
}

int DemonsParameters::squarings() const {
    return std::max(0, static_cast<int>(std::ceil(std::log2(maxStep / 0.5))));
}

DemonsScale demonsScale(const PyramidLevel& level, const DemonsParameters& parameters) {
    const std::array<float, 3> scale = level.scale();
    return {{scale[0], scale[1], scale[2]},
            static_cast<float>(0.25 / (parameters.maxStep * parameters.maxStep))};
}

double demonsForces(const DemonsForceInput& input, const ExecContext& ctx) {
    const VolumeView<const float> fixed = input.fixed, warped = input.warped;
    const FieldView<const float> motion = input.motion;
    const FieldView<float> step = input.step;
    const Size3 size = fixed.size;
    const auto sum = [&](int x, int y, int z) {
        const std::size_t i =
            fixed.offset(std::clamp(x, 0, size.x - 1), std::clamp(y, 0, size.y - 1),
                         std::clamp(z, 0, size.z - 1));
        return fixed.data[i] + warped.data[i];
    };
    const auto known = [&](int x, int y, int z) {
        const std::size_t i = fixed.offset(x, y, z);
        return demonsKnown(static_cast<float>(x) + motion.u[i], static_cast<float>(y) + motion.v[i],
                           static_cast<float>(z) + motion.w[i], size);
    };
    const double squared = sumOverVoxels(size, ctx, [&](int x, int y, int z) {
        const std::size_t i = fixed.offset(x, y, z);
        const bool seen = known(x, y, z);
        const float difference = seen ? fixed.data[i] - warped.data[i] : 0;
        const DemonsForce force =
            seen ? demonsForce(difference, sum(x + 1, y, z) - sum(x - 1, y, z),
                               sum(x, y + 1, z) - sum(x, y - 1, z),
                               sum(x, y, z + 1) - sum(x, y, z - 1), input.scale)
                 : DemonsForce{0, 0, 0};
        step.u[i] = force.u;
        step.v[i] = force.v;
        step.w[i] = force.w;
        return static_cast<double>(difference) * static_cast<double>(difference);
    });
    const double count =
        sumOverVoxels(size, ctx, [&](int x, int y, int z) { return known(x, y, z) ? 1.0 : 0.0; });
    return count > 0 ? squared / count : 0;
}

MotionMethod demonsMethod() {
    return {.name = "demons",
            .title = "Diffeomorphic demons",
            .summary = "Differences of gray values push voxels, a Gaussian smooths: the classical "
                       "baseline, invertible.",
            .parameters = &demonsTable().table(),
            .backends = builtBackends({Backend::Cpu}),
            .stages = {"warp", "force", "smooth", "exponential", "compose", "pyramid"},
            .make = makeDemons,
            .variations = variantVariations(demonsForceFamily),
            .minBytes = minBytes};
}

std::unique_ptr<MotionEstimator> makeDemons(const ParamSet& values, Backend backend) {
    const DemonsParameters parameters = DemonsParameters::from(values);
    if (backend == Backend::Cuda) {
        if constexpr (cudaIsBuilt)
            return makeDemonsCuda(parameters);
        else
            throwNoCuda("demons");
    }
    return std::make_unique<HostEstimator<DemonsPlan<DemonsOnHost>>>(parameters);
}

} // namespace systole
