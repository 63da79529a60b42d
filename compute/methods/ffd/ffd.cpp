#include "compute/methods/ffd/ffd.h"

#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/methods/ffd/makers.h"

#include <algorithm>
#include <utility>

namespace systole {
namespace {

const std::vector<std::string> similarityNames{"ssd", "nmi", "lncc"};
const std::vector<std::string> optimizerNames{"cg", "lbfgs"};

template <typename Choice>
Choice chosen(const std::vector<std::string>& names, const std::string& name) {
    return static_cast<Choice>(std::find(names.begin(), names.end(), name) - names.begin());
}

ParamTable makeTable() {
    ParamTable rows({
        choiceParam("similarity", "lncc", similarityNames,
                    "What is compared: squared differences, normalized mutual information, or "
                    "local normalized cross-correlation."),
        realParam("spacing", 5, 1, 32, "voxel",
                  "Distance of the control points in smallest voxels of each level.")
            .titled("control point spacing"),
        integerParam("levels", 3, 1, 10, "", "Maximum number of pyramid levels.")
            .titled("pyramid levels"),
        integerParam("iterations", 100, 1, 1000, "", "Maximum number of iterations per level.")
            .titled("iterations per level"),
        realParam("tolerance", 0.005, 0, 0.5, "",
                  "A level ends when two iterations in a row lower the energy by less than this "
                  "share of what the level has gained.")
            .titled("convergence"),
        choiceParam("optimizer", "lbfgs", optimizerNames,
                    "Conjugate gradients or L-BFGS, each with a line search."),
        realParam(
            "bending", 17, 0, 1000, "",
            "Weight of the bending energy. With lncc each level multiplies it by the share of "
            "the images that it finds unexplained.")
            .titled("bending energy"),
        realParam("elasticity", 0, 0, 1000, "", "Weight of the linear elastic energy, as bending.")
            .titled("linear elasticity"),
        realParam("jacobian", 0, 0, 1000, "",
                  "Weight of the squared logarithm of the Jacobian determinant.")
            .titled("volume change"),
        realParam("correlation-window", 4, 0.5, 10, "voxel",
                  "Standard deviation of the Gaussian window of the local cross-correlation.")
            .titled("correlation window"),
    });
    rows.addPreset("default", {});
    rows.addPreset("nmi", {{"similarity", std::string("nmi")}, {"bending", 10.0}});
    rows.addPreset("thesis", {{"similarity", std::string("nmi")},
                              {"optimizer", std::string("cg")},
                              {"bending", 0.001},
                              {"iterations", 150},
                              {"tolerance", 0.0}});
    return rows;
}

const ParamTable& table() {
    static const ParamTable rows = makeTable();
    return rows;
}

} // namespace

FfdParameters FfdParameters::from(const ParamSet& values) {
    FfdParameters p;
    p.similarity.kind = chosen<SimilarityKind>(similarityNames, values.choice("similarity"));
    p.similarity.window = values.real("correlation-window");
    p.spacing = values.real("spacing");
    p.levels = values.integer("levels");
    p.descent.iterations = values.integer("iterations");
    p.descent.tolerance = values.real("tolerance");
    p.descent.method = chosen<Descent>(optimizerNames, values.choice("optimizer"));
    p.bending = values.real("bending");
    p.elasticity = values.real("elasticity");
    p.jacobian = values.real("jacobian");
    return p;
}

MotionMethod ffdMethod() {
    std::vector<Backend> backends{Backend::Cpu, Backend::CpuReference};
    if (cudaIsBuilt)
        backends.push_back(Backend::Cuda);
    return {
        .name = "ffd",
        .title = "Free-form deformation",
        .summary =
            "A B-spline on a grid of control points that makes a similarity largest: for two "
            "images, also of other contrast or on other grids.",
        .parameters = &table(),
        .backends = std::move(backends),
        .stages = {"spline", "warp", "similarity", "derivative", "forces", "gradient", "penalty",
                   "search", "level", "pyramid"},
        .make = [](const ParamSet& values, Backend backend) -> std::unique_ptr<MotionEstimator> {
            return makeFfd(FfdParameters::from(values), backend);
        },
        .byConvergence = true};
}

std::unique_ptr<FfdEstimator> makeFfd(const FfdParameters& parameters, Backend backend) {
    if (backend == Backend::Cuda) {
        if constexpr (cudaIsBuilt)
            return makeFfdCuda(parameters);
        else
            throw ComputeError("ffd has no CUDA implementation here: " + cudaStatus().reason);
    }
    return makeFfdCpu(parameters);
}

} // namespace systole
