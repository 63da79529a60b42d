#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/methods/unbiased/unbiased.h"
#include "compute/methods/unbiased/variants.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

const ParamTable& unbiasedTable() {
    static const ParamTable table = [] {
        ParamTable rows({
            realParam("lambda", 1000, 0, 1e6, "",
                      "Weight of the symmetric Kullback-Leibler distance from the identity: higher "
                      "values let volumes change less.")
                .titled("volume regularity"),
            realParam("sigma", 6, 0, 8, "voxel",
                      "Standard deviation of the Gaussian that smooths the velocity: higher values "
                      "move larger regions together.")
                .titled("velocity smoothing"),
            realParam("max-step", 0.5, 0.01, 2, "voxel", "Largest update of an iteration.")
                .titled("maximum step"),
            realParam("momentum", 0.5, 0, 0.99, "",
                      "Share of the last velocity that is added to the smoothed force; a step that "
                      "is undone drops it."),
            integerParam("levels", 4, 1, 10, "", "Maximum number of pyramid levels.")
                .titled("pyramid levels"),
            integerParam("iterations", 200, 1, 10000, "", "Maximum number of iterations per level.")
                .titled("iterations per level"),
            realParam(
                "tolerance", 0.01, 0, 1, "",
                "A level ends when ten iterations lower the energy by a smaller fraction than "
                "this; 0: never before the maximum number of iterations."),
            switchParam("adaptive", true,
                        "Undo steps that raise the energy and repeat them with half the length, as "
                        "always where |M| would not stay positive.")
                .titled("adaptive step"),
            choiceParam("force", "pulled-back", {"pulled-back", "printed"},
                        "pulled-back: the force is pulled back by the deformation, so that its "
                        "transport lowers the energy; printed: as in the paper."),
            choiceParam("variant-force", unbiased::forceFamily.standard,
                        unbiased::forceFamily.names(), unbiased::forceFamily.help)
                .titled("force kernel")
                .forCudaOnly(),
        });
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
                                 {"force", std::string("printed")}});
        return rows;
    }();
    return table;
}

std::vector<MethodVariation> forceVariations() {
    std::vector<MethodVariation> all;
    for (const std::string& variant : unbiased::forceFamily.names())
        all.push_back({"default", {}, {{"variant-force", variant}}, true, "force"});
    return all;
}

} // namespace

UnbiasedParameters UnbiasedParameters::from(const ParamSet& values) {
    UnbiasedParameters p;
    p.lambda = values.real("lambda");
    p.sigma = values.real("sigma");
    p.maxStep = values.real("max-step");
    p.momentum = values.real("momentum");
    p.levels = values.integer("levels");
    p.iterations = values.integer("iterations");
    p.tolerance = values.real("tolerance");
    p.adaptive = values.isOn("adaptive");
    p.pulledBack = values.choice("force") == "pulled-back";
    p.forceVariant = unbiased::forceFamily.named(values.choice("variant-force"));
    return p;
}

unbiased::StepRule UnbiasedParameters::stepRule() const {
    return {static_cast<float>(maxStep), static_cast<float>(momentum), adaptive, tolerance};
}

unbiased::ForceRule UnbiasedParameters::forceRule(const PyramidLevel& level) const {
    const std::array<float, 3> scale = level.scale();
    return {static_cast<float>(lambda), {scale[0], scale[1], scale[2]}, pulledBack};
}

int UnbiasedParameters::reach() const {
    // Three standard deviations of the Gaussian on the coarsest level.
    return std::clamp(static_cast<int>(std::ceil(3 * sigma * std::ldexp(1.0, levels - 1))), 16, 64);
}

MotionMethod unbiasedMethod() {
    std::vector<Backend> backends{Backend::Cpu, Backend::CpuReference};
    if (cudaIsBuilt)
        backends.push_back(Backend::Cuda);
    return {.name = "unbiased",
            .title = "Unbiased fluid registration",
            .summary = "A viscous fluid that changes no volume without evidence: for large "
                       "deformations, and where volume change is measured.",
            .parameters = &unbiasedTable(),
            .backends = std::move(backends),
            .stages = {"force", "smooth", "update", "pyramid"},
            .make = makeUnbiased,
            .variations = forceVariations(),
            .byConvergence = true};
}

namespace unbiased {

MotionReport::Level reportOf(Size3 size, const StepState& state) {
    MotionReport::Level level;
    level.size = size;
    level.iterations = state.iterations;
    level.energy = state.energy;
    level.figures.push_back({"rejected steps", static_cast<double>(state.rejections), ""});
    return level;
}

} // namespace unbiased
} // namespace systole
