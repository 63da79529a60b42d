#include "compute/methods/clg/clg.h"

namespace systole {
namespace {

std::string parameterOf(const KernelFamily& family) {
    return std::string("variant-") + family.stage;
}

} // namespace

ClgParameters ClgParameters::from(const ParamSet& v) {
    ClgParameters p;
    p.alpha = v.real("alpha");
    p.beta = v.real("beta");
    p.rho = v.real("rho");
    p.prefilter = v.real("prefilter");
    p.levels = v.integer("levels");
    p.warps = v.integer("warps");
    p.sweeps = v.integer("sweeps");
    p.tolerance = v.real("tolerance");
    p.omega = v.real("omega");
    p.compositional = v.isOn("compositional");
    p.centralGradient = v.choice("gradient") == "central";
    p.normalized = v.isOn("normalized");
    p.adaptive = v.isOn("adaptive");
    const std::string solver = v.choice("solver");
    p.solver = solver == "jacobi"      ? ClgSolver::Jacobi
               : solver == "red-black" ? ClgSolver::RedBlack
                                       : ClgSolver::Multigrid;
    const auto variant = [&](const KernelFamily& family) {
        return family.named(v.choice(parameterOf(family)));
    };
    p.variants.gradient = variant(clg::gradientFamily);
    p.variants.smooth = variant(smoothFamily);
    p.variants.sweep = variant(clg::jacobiFamily);
    p.variants.warp = variant(clg::warpFamily);
    p.variants.halfTensor = v.choice("tensor-storage") == "half";
    return p;
}

const ParamTable& clgParameterTable() {
    static const ParamTable table = [] {
        std::vector<ParamRow> rows{
            realParam("alpha", 0.3, 0, 1e6, "", "Weight of the field's smoothness."),
            realParam("beta", 0, 0, 1e6, "",
                      "Weight of the squared divergence: how much volume is kept."),
            realParam("rho", 4, 0, 10, "voxel", "Width of the smoothing of the structure tensor."),
            realParam("prefilter", 0, 0, 5, "voxel",
                      "Gaussian smoothing of both frames before anything else."),
            integerParam("levels", 4, 1, 10, "", "Levels of the pyramid, at most."),
            integerParam("warps", 4, 1, 50, "",
                         "Warps per level: how often the moving frame is resampled."),
            integerParam("sweeps", 30, 1, 10000, "sweeps",
                         "Sweeps of the solver per warp, at most."),
            realParam("tolerance", 0.01, 0, 10, "voxel",
                      "A warp's sweeps end when no component has more than this still to change; "
                      "0: all sweeps."),
            choiceParam("solver", "red-black", {"jacobi", "red-black", "multigrid"},
                        "What solves the linear system of a warp."),
            realParam("omega", 1.7, 0.1, 1.99, "", "Over-relaxation of red-black sweeps."),
            choiceParam(
                "gradient", "central", {"forward", "central"},
                "central: mean of fixed and warped frame; forward: of the fixed frame, for the "
                "paper's single level."),
            switchParam("compositional", true,
                        "Steps are composed and smoothness sees the total field; off: steps add up "
                        "and each is smoothed by itself."),
            switchParam("normalized", true, "Data term divided by the squared gradient."),
            switchParam(
                "adaptive", true,
                "Balance of data and smoothness, and the prefilter, follow noise and motion "
                "found in the frames."),
            choiceParam("tensor-storage", "float", {"float", "half"},
                        "How the CUDA form stores the tensor while it solves; half: 16 bits."),
        };
        for (const KernelFamily* family : clgFamilies)
            rows.push_back(
                choiceParam(parameterOf(*family), family->standard, family->names(), family->help));
        ParamTable t(std::move(rows));
        t.addPreset("default", {});
        // The paper prints neither R, the number of iterations, alpha nor rho; K = 15 is rho 2.33.
        t.addPreset("paper", {{"rho", 2.33},
                              {"alpha", 100.0},
                              {"levels", 1},
                              {"warps", 3},
                              {"sweeps", 50},
                              {"tolerance", 0.0},
                              {"solver", std::string("jacobi")},
                              {"gradient", std::string("forward")},
                              {"compositional", false},
                              {"normalized", false},
                              {"adaptive", false}});
        return t;
    }();
    return table;
}

std::vector<MethodVariation> clgVariations() {
    std::vector<MethodVariation> all;
    for (const char* preset : {"default", "paper"}) {
        const bool jacobi = std::string(preset) == "paper";
        for (const KernelFamily* family : clgFamilies)
            if (jacobi || family != &clg::jacobiFamily) // red-black sweeps have no variants
                for (const KernelVariant& variant : family->variants)
                    all.push_back({preset,
                                   {},
                                   {{parameterOf(*family), variant.name}},
                                   variant.tolerance <= KernelVariant{}.tolerance,
                                   family == &clg::jacobiFamily ? "solve" : family->stage});
        all.push_back({preset, {}, {{"tensor-storage", "half"}}, false});
        all.push_back({preset, {{"beta", "0.5"}}});
    }
    // For each step, the variant closest to a plain read.
    all.push_back(
        {"paper", {}, {{"tensor-storage", "half"}, {"variant-sweep", "register"}}, false, "solve"});
    for (const std::string& variant : clg::jacobiFamily.names())
        all.push_back({"paper", {{"beta", "50"}}, {{"variant-sweep", variant}}});
    all.push_back({"default", {{"solver", "multigrid"}}});
    all.push_back({"default", {{"solver", "jacobi"}}});
    return all;
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
