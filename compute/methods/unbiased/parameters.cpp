#include "compute/core/bound_params.h"
#include "compute/cuda/kernel_choice.h"
#include "compute/methods/unbiased/unbiased.h"
#include "compute/methods/unbiased/variants.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

const BoundTable<UnbiasedParameters>& unbiasedTable() {
    static const BoundTable<UnbiasedParameters> all = [] {
        using P = UnbiasedParameters;
        BoundTable<P> rows;
        rows.real(&P::lambda, "lambda", 250, 0, 1e6, "",
                  "Weight of the symmetric Kullback-Leibler distance from the identity: higher "
                  "values let volumes change less.")
            .usually(10, 10000)
            .titled("volume regularity");
        rows.real(&P::sigma, "sigma", 6, 0, 8, "voxel",
                  "Standard deviation of the Gaussian that smooths the velocity: higher values "
                  "move larger regions together.")
            .titled("velocity smoothing");
        rows.real(&P::maxStep, "max-step", 0.5, 0.01, 2, "voxel", "Largest update of an iteration.")
            .titled("maximum step");
        rows.real(&P::momentum, "momentum", 0.5, 0, 0.99, "",
                  "Share of the last velocity that is added to the smoothed force; a step that is "
                  "undone drops it.");
        rows.add(&P::levels, pyramidLevelsParam(4));
        rows.integer(&P::iterations, "iterations", 200, 1, 10000, "",
                     "Maximum number of iterations per level.")
            .usually(1, 1000)
            .titled("iterations per level");
        rows.real(&P::tolerance, "tolerance", 0.01, 0, 1, "",
                  "A level ends when ten iterations lower the energy by a smaller fraction than "
                  "this; 0: never before the maximum number of iterations.");
        rows.onOff(
                &P::adaptive, "adaptive", true,
                "Bound steps by the energy's curvature; undo those that raise the energy and "
                "repeat them with half the length, which is always done where |M| would not stay "
                "positive.")
            .titled("adaptive step");
        rows.onOff(&P::compensated, "compensate-noise", true,
                   "Compensate for the noise that interpolation removes, which would pull the "
                   "motion to positions between voxels.")
            .titled("compensate noise");
        rows.choice(&P::printed, "force", "pulled-back", {"pulled-back", "printed"},
                    "pulled-back: the force is pulled back by the deformation, so that its "
                    "transport lowers the energy; printed: as in the paper.");
        rows.add(&P::forceVariant, variantParam(unbiased::forceFamily));
        rows.addPreset("default", {});
        // One level, 300 iterations, no other end. The paper prints neither lambda, sigma nor the
        // step.
        rows.addPreset("paper", {{"lambda", 500.0},
                                 {"sigma", 2.0},
                                 {"max-step", 0.25},
                                 {"momentum", 0.0},
                                 {"levels", 1},
                                 {"iterations", 300},
                                 {"tolerance", 0.0},
                                 {"adaptive", false},
                                 {"compensate-noise", false},
                                 {"force", std::string("printed")}});
        return rows;
    }();
    return all;
}

} // namespace

UnbiasedParameters UnbiasedParameters::from(const ParamSet& values) {
    return unbiasedTable().from(values);
}

unbiased::StepRule UnbiasedParameters::stepRule() const {
    return {static_cast<float>(maxStep), static_cast<float>(momentum), adaptive, tolerance,
            static_cast<float>(unbiased::regularizerCurvature(lambda, sigma))};
}

unbiased::ForceRule UnbiasedParameters::forceRule(const PyramidLevel& level) const {
    const std::array<float, 3> scale = level.scale();
    return {static_cast<float>(lambda), {scale[0], scale[1], scale[2]}, !printed};
}

int UnbiasedParameters::reach() const {
    // Three standard deviations of the Gaussian on the coarsest level.
    return std::clamp(static_cast<int>(std::ceil(3 * sigma * std::ldexp(1.0, levels - 1))), 16, 64);
}

MotionMethod unbiasedMethod() {
    return {.name = "unbiased",
            .title = "Unbiased fluid registration",
            .summary = "A viscous fluid that changes no volume without evidence: for large "
                       "deformations, and where volume change is measured.",
            .parameters = &unbiasedTable().table(),
            .backends = builtBackends({Backend::Cpu, Backend::CpuReference}),
            .stages = {"force", "smooth", "update", "pyramid"},
            .make = makeUnbiased,
            .variations = variantVariations(unbiased::forceFamily),
            .startError = StartError::Grows,
            .magnifiesStart = true};
}

} // namespace systole
