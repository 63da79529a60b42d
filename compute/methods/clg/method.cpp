#include "compute/core/bound_params.h"
#include "compute/cuda/kernel_choice.h"
#include "compute/methods/clg/clg.h"

namespace systole {
namespace {

void addPresets(BoundTable<ClgParameters>& table) {
    table.addPreset("default", {});
    // Dense textures of high contrast, and motion that differs much within a lung
    // (`systole bench lungs`).
    table.addPreset("lungs", {{"alpha", 0.2}, {"trend", 5.0}, {"half-grid", false}});
    // The paper prints neither R, the number of iterations, alpha nor rho; K = 15 is rho 2.33.
    table.addPreset("paper", {{"rho", 2.33},
                              {"alpha", 100.0},
                              {"levels", 1},
                              {"warps", 3},
                              {"sweeps", 50},
                              {"tolerance", 0.0},
                              {"solver", std::string("jacobi")},
                              {"gradient", std::string("forward")},
                              {"sampling", std::string("linear")},
                              {"compositional", false},
                              {"half-grid", false},
                              {"normalized", false},
                              {"adaptive", false},
                              {"features", std::string("intensity")}});
}

/// Long because it lists all parameters.
const BoundTable<ClgParameters>& clgTable() {
    static const BoundTable<ClgParameters> all = [] {
        using P = ClgParameters;
        BoundTable<P> rows;
        rows.real(&P::alpha, "alpha", P::usualAlpha, 0, 1e6, "",
                  "Weight of smoothness: higher values give a smoother field that follows the "
                  "frames less closely. With adaptive on and trend 0, coarser levels use 0.3, and "
                  "on the finest level the difference from 0.3 applies only to the motion which "
                  "that level adds.")
            .usually(0, 100)
            .titled("smoothness");
        rows.real(&P::beta, "beta", 0, 0, 1e6, "",
                  "Weight of volume preservation: higher values let tissue expand and shrink "
                  "less (penalty on the squared divergence); 0: off.")
            .usually(0, 50)
            .titled("volume preservation");
        rows.real(&P::rho, "rho", 4, 0, 10, "voxel",
                  "Standard deviation of the Gaussian that smooths the structure tensor: "
                  "higher values combine the evidence of a larger neighborhood.")
            .titled("smoothing width");
        rows.real(&P::trend, "trend", 0, 0, 10, "voxel",
                  "Standard deviation, on each level, of the Gaussian mean of the motion, which "
                  "smoothness does not penalize; 0: --trend-share gives the width.")
            .titled("trend width");
        rows.real(&P::trendShare, "trend-share", 0.25, 0, 1, "",
                  "Width (sigma) of the mean of the motion, as a share of the longest edge of the "
                  "frame. Smoothness penalizes only the difference from this mean, so that motion "
                  "as a whole isn't held back; 0, and in thick slices: it applies to the whole "
                  "motion.")
            .titled("trend share");
        rows.real(&P::prefilter, "prefilter", 0, 0, 5, "voxel",
                  "Standard deviation of the Gaussian that smooths both frames first; 0: none, "
                  "unless noise is found with --adaptive on.")
            .titled("prefilter width");
        rows.add(&P::levels, pyramidLevelsParam(4));
        rows.integer(&P::warps, "warps", 4, 1, 50, "",
                     "Warps per level: how often the moving frame is resampled.")
            .titled("warps per level");
        rows.integer(&P::sweeps, "sweeps", 30, 1, 10000, "sweeps",
                     "Maximum number of solver sweeps per warp.")
            .usually(1, 300)
            .titled("sweeps per warp");
        rows.real(&P::tolerance, "tolerance", 0.008, 0, 10, "voxel",
                  "The sweeps of a warp end when no component is expected to change by more "
                  "than this; 0: never before the maximum number of sweeps.");
        rows.choice(&P::solver, "solver", "red-black", {"jacobi", "red-black", "multigrid"},
                    "Solver of the linear system of a warp.");
        rows.real(&P::omega, "omega", 1.7, 0.1, 1.99, "",
                  "Over-relaxation factor of red-black sweeps; with --half-grid on, 1 + 3/7 "
                  "(omega - 1) is used.")
            .titled("over-relaxation");
        rows.onOff(
                &P::motionOnHalf, "half-grid", true,
                "The motion of a level is found on half its grid, which is that of the next "
                "coarser level, and interpolated: an eighth of the unknowns. Half the grid holds "
                "all that a tensor smoothed by 3 voxels or more can show. No effect with --beta.")
            .titled("motion on half grid");
        rows.choice(&P::centralGradient, "gradient", "central", {"forward", "central"},
                    "central: mean of the gradients of fixed and warped frame; forward: "
                    "gradient of the fixed frame, as in the paper's single level.");
        rows.choice(&P::cubic, "sampling", "cubic", {"linear", "cubic"},
                    "How the moving frame is interpolated between its voxels; cubic: from 64 "
                    "voxels, in the second half of a level's warps, which keeps the contrast that "
                    "linear interpolation loses.");
        rows.onOff(&P::compositional, "compositional", true,
                   "on: steps are composed, and smoothness applies to the total field; off: "
                   "steps are added, and smoothness applies to each step.");
        rows.onOff(&P::normalized, "normalized", true,
                   "Divide the data term by the squared gradient, so that strong edges don't "
                   "dominate.")
            .titled("normalized data");
        rows.onOff(&P::adaptive, "adaptive", true,
                   "Adapt the balance of data and smoothness, and the prefilter, to the noise "
                   "and motion found in the frames, and match their brightness where motion "
                   "doesn't explain its change.")
            .titled("adapt to frames");
        rows.choice(&P::features, "features", "auto", {"auto", "intensity", "self-similarity"},
                    "What is compared. intensity: gray values; self-similarity: how similar a "
                    "voxel is to its surroundings, for frames of different contrast; auto: gray "
                    "values, and self-similarity as far as it helps (with --adaptive on).")
            .titled("compared features");
        rows.choice(&P::brightness, "brightness", "auto", {"auto", "joint", "histogram"},
                    "Brightness that differs between the frames. auto: matched where motion "
                    "doesn't explain it (with --adaptive on); joint: a smooth gain and offset, "
                    "estimated together with the motion, as for bias fields and inflow; "
                    "histogram: gray values mapped by the frames' joint histogram, for frames of "
                    "different contrast.")
            .titled("changing brightness");
        rows.onOff(&P::rootWeights, "root-weights", false,
                   "On the finest level, divide the data term by the gradient's length instead of "
                   "its square, so that strong edges count more. No effect unless --normalized "
                   "on.")
            .titled("root weights");
        rows.real(&P::gradientConstancy, "gradient-constancy", 0, 0, 1, "",
                  "Share of the data term on the finest level that compares the gradients of the "
                  "frames rather than their gray values; with --adaptive on it rises to half where "
                  "noise hides all but faint structure; 0: gray values alone.")
            .titled("gradient constancy");
        rows.choice(
                [](P & p) -> auto& { return p.variants.halfTensor; }, "tensor-storage", "float",
                {"float", "half"},
                "Precision of the structure tensor in CUDA's memory; half: 16 bits.")
            .titled("tensor storage")
            .forCudaOnly();
        rows.add(
            [](P & p) -> auto& { return p.variants.gradient; }, variantParam(clg::gradientFamily));
        rows.add(
            [](P & p) -> auto& { return p.variants.smooth; }, variantParam(smoothFamily));
        rows.add(
            [](P & p) -> auto& { return p.variants.sweep; }, variantParam(clg::jacobiFamily));
        rows.add(
            [](P & p) -> auto& { return p.variants.warp; }, variantParam(clg::warpFamily));
        addPresets(rows);
        return rows;
    }();
    return all;
}

} // namespace

ClgParameters ClgParameters::from(const ParamSet& values) { return clgTable().from(values); }

const ParamTable& clgParameterTable() { return clgTable().table(); }

namespace {

/// A texture unit that interpolates does so linearly.
std::map<std::string, std::string> samplingOf(const KernelFamily& family,
                                              const KernelVariant& variant) {
    if (&family == &clg::warpFamily && std::string(variant.name) == "texture-filter")
        return {{"sampling", "linear"}};
    return {};
}

} // namespace

std::vector<MethodVariation> clgVariations() {
    std::vector<MethodVariation> all;
    for (const char* preset : {"default", "paper"}) {
        const bool jacobi = std::string(preset) == "paper";
        for (const KernelFamily* family : clgFamilies)
            if (jacobi || family != &clg::jacobiFamily) // red-black sweeps have no variants
                for (const KernelVariant& variant : family->variants)
                    all.push_back({preset,
                                   samplingOf(*family, variant),
                                   {{variantParameter(*family), variant.name}},
                                   variant.tolerance <= KernelVariant{}.tolerance,
                                   family == &clg::jacobiFamily ? "solve" : family->stage});
        all.push_back({preset, {}, {{"tensor-storage", "half"}}, false});
        all.push_back({preset, {{"beta", "0.5"}}});
    }
    // The variant of each step that is closest to a plain read.
    all.push_back(
        {"paper", {}, {{"tensor-storage", "half"}, {"variant-sweep", "register"}}, false, "solve"});
    for (const std::string& variant : clg::jacobiFamily.names())
        all.push_back({"paper", {{"beta", "50"}}, {{"variant-sweep", variant}}});
    all.push_back({"default", {{"solver", "multigrid"}}});
    // All sweeps are run: two of them nearly reach the tolerance, and rounding would decide.
    all.push_back({"default", {{"solver", "jacobi"}, {"tolerance", "0"}}});
    all.push_back({"default", {{"sampling", "linear"}}});
    all.push_back({"default", {{"trend", "8"}}});
    all.push_back({"default", {{"trend-share", "0"}}});
    all.push_back({"default", {{"alpha", "1"}}});
    all.push_back({"default", {{"alpha", "1"}, {"trend-share", "0"}, {"half-grid", "off"}}});
    all.push_back({"default", {{"half-grid", "off"}}});
    all.push_back({"default", {{"gradient-constancy", "0.2"}, {"root-weights", "on"}}});
    all.push_back({"default", {{"gradient-constancy", "1"}}});
    all.push_back({"default", {{"features", "intensity"}}});
    all.push_back({"default", {{"brightness", "joint"}}});
    all.push_back({"default", {{"brightness", "histogram"}}});
    all.push_back({"default", {{"features", "self-similarity"}}});
    return all;
}

MotionReport::Level LevelFigures::report(Size3 size) const {
    return {size,
            sweeps,
            energy,
            {{"warps", static_cast<double>(warps), ""},
             {"last change", lastChange, "voxel"},
             {"noise", noise, "voxel"},
             {"brightness matched", 100 * brightness, "%"},
             {"self-similarity", 100 * selfSimilarity, "%"}}};
}

MotionMethod clgMethod() {
    return {.name = "clg",
            .title = "Combined local-global flow",
            .summary = "Optical flow that combines global smoothness with local neighborhoods: the "
                       "fastest, for the small motion from frame to frame.",
            .parameters = &clgParameterTable(),
            .backends = builtBackends({Backend::Cpu, Backend::CpuReference}),
            .stages = {"gradient", "smooth", "solve", "warp", "pyramid"},
            .make = makeClg,
            .weightParameter = "beta",
            .variations = clgVariations(),
            .startError = StartError::SmoothStays,
            .minBytes = clgLeastBytes};
}

double clgLeastBytes(const std::string& stage, double voxels, const MotionReport& report) {
    const Figure* counted =
        report.levels.empty() ? nullptr : findFigure(report.levels.back().figures, "warps");
    const double warps = counted ? counted->value : 0;
    constexpr double value = sizeof(float);
    if (stage == "gradient") // two frames in, nine products out
        return (2 + 9) * value * voxels * warps;
    if (stage == "smooth") // nine volumes in and out
        return (9 + 9) * value * voxels * warps;
    if (stage == "solve") // nine coefficients and the field in, the field out
        return (9 + 3 + 3) * value * voxels * report.iterations;
    if (stage == "warp") // the moving frame and the field in, the warped frame out
        return (1 + 3 + 1) * value * voxels * warps;
    return 0;
}

} // namespace systole
