#include "compute/methods/ffd/ffd.h"

#include "compute/core/bound_params.h"
#include "compute/cuda/device.h"
#include "compute/cuda/kernel_choice.h"
#include "compute/ops/pyramid.h"

namespace systole {
namespace {

BoundTable<FfdParameters> makeTable() {
    using P = FfdParameters;
    BoundTable<P> rows;
    rows.choice(
        [](P & p) -> auto& { return p.similarity.kind; }, "similarity", "lncc",
        {"ssd", "nmi", "lncc"},
        "What is compared: squared differences, normalized mutual information, or "
        "local normalized cross-correlation.");
    rows.real(&P::spacing, "spacing", 5, 1, 32, "voxel",
              "Distance of the control points in smallest voxels of each level.")
        .titled("control point spacing");
    ParamRow levels = pyramidLevelsParam(3);
    levels.help +=
        " With 3 or more, images of 256 voxels or more along an axis get one more level, of 512 "
        "or more two.";
    rows.add(&P::levels, levels);
    rows.integer(
            [](P & p) -> auto& { return p.descent.iterations; }, "iterations", 100, 1, 1000, "",
            "Maximum number of iterations per level.")
        .titled("iterations per level");
    rows.real(
            [](P & p) -> auto& { return p.descent.tolerance; }, "tolerance", 0.04, 0, 0.5, "",
            "A level ends when two iterations in a row lower the energy by less than this "
            "share of what the level has gained.")
        .titled("convergence");
    rows.choice(
        [](P & p) -> auto& { return p.descent.method; }, "optimizer", "lbfgs", {"cg", "lbfgs"},
        "Conjugate gradients or L-BFGS, each with a line search.");
    rows.real(&P::bending, "bending", 17, 0, 1000, "",
              "Weight of the bending energy. With lncc each level multiplies it by the share of "
              "the images that it finds unexplained.")
        .titled("bending energy");
    rows.real(&P::elasticity, "elasticity", 0, 0, 1000, "",
              "Weight of the linear elastic energy, as bending.")
        .titled("linear elasticity");
    rows.real(&P::jacobian, "jacobian", 0, 0, 1000, "",
              "Weight of the squared logarithm of the Jacobian determinant.")
        .titled("volume change");
    rows.real(
            [](P & p) -> auto& { return p.similarity.window; }, "correlation-window", 4, 0.5, 10,
            "voxel", "Standard deviation of the Gaussian window of the local cross-correlation.")
        .titled("correlation window");
    rows.onOff(&P::compensated, "compensate-noise", true,
               "With lncc, compensate for the noise that interpolation removes, which would pull "
               "the motion to positions between voxels.")
        .titled("compensate noise");
    rows.addPreset("default", {});
    rows.addPreset("lungs", {{"levels", 5}});
    rows.addPreset("nmi",
                   {{"similarity", std::string("nmi")}, {"bending", 10.0}, {"tolerance", 0.005}});
    rows.addPreset("thesis", {{"similarity", std::string("nmi")},
                              {"optimizer", std::string("cg")},
                              {"bending", 0.001},
                              {"iterations", 150},
                              {"tolerance", 0.0}});
    return rows;
}

const BoundTable<FfdParameters>& table() {
    static const BoundTable<FfdParameters> rows = makeTable();
    return rows;
}

} // namespace

FfdParameters FfdParameters::from(const ParamSet& values) { return table().from(values); }

MotionMethod ffdMethod() {
    return {
        .name = "ffd",
        .title = "Free-form deformation",
        .summary =
            "A B-spline on a grid of control points that makes a similarity largest: for two "
            "images, also of other contrast or on other grids.",
        .parameters = &table().table(),
        .backends = builtBackends({Backend::Cpu, Backend::CpuReference}),
        .stages = {"spline", "warp", "similarity", "derivative", "forces", "gradient", "penalty",
                   "search", "unfold", "level", "pyramid"},
        .make = [](const ParamSet& values, Backend backend) -> std::unique_ptr<MotionEstimator> {
            return makeFfd(FfdParameters::from(values), backend);
        },
        .startError = StartError::Stays,
        .magnifiesStart = true};
}

std::unique_ptr<FfdEstimator> makeFfd(const FfdParameters& parameters, Backend backend) {
    if (backend == Backend::Cuda) {
        if constexpr (cudaIsBuilt)
            return makeFfdCuda(parameters);
        else
            throwNoCuda("ffd");
    }
    return makeFfdCpu(parameters);
}

} // namespace systole
