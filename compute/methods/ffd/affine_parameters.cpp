#include "compute/methods/ffd/affine.h"
#include "compute/methods/ffd/affine_blocks.h"

#include <cmath>

namespace systole {

AffineParameters AffineParameters::from(const ParamSet& values) {
    AffineParameters p;
    p.rigid = values.choice("dof") == "rigid";
    p.symmetric = values.isOn("symmetric");
    p.anyContrast = values.isOn("any-contrast");
    p.levels = values.integer("levels");
    p.iterations = values.integer("iterations");
    p.blocks = values.real("blocks") / 100;
    p.inliers = values.real("inliers") / 100;
    p.tolerance = values.real("tolerance");
    p.matchVariant = affine::matchFamily.named(values.choice("variant-match"));
    return p;
}

const ParamTable& affineParameterTable() {
    static const ParamTable table = [] {
        ParamTable rows({
            choiceParam("dof", "affine", {"rigid", "affine"},
                        "Rotation and translation, or scales and shears as well.")
                .titled("degrees of freedom"),
            switchParam("symmetric", false,
                        "Match in both directions and take the map half-way between."),
            switchParam("any-contrast", false,
                        "Compare by squared correlation: contrasts may be inverted, as between "
                        "different modalities.")
                .titled("any contrast"),
            integerParam("levels", 4, 1, 10, "", "Maximum number of resolutions.")
                .titled("pyramid levels"),
            integerParam("iterations", 10, 1, 1000, "",
                         "Maximum number of iterations per level, rigid and affine each.")
                .titled("iterations per level"),
            realParam("blocks", 50, 1, 100, "%",
                      "Share of the blocks that is matched: those that vary most.")
                .titled("blocks used"),
            realParam("inliers", 50, 1, 100, "%",
                      "Share of the matched blocks that the map fits; the rest may move otherwise.")
                .titled("blocks fitted"),
            realParam("tolerance", 0.03, 1e-6, 1, "voxel",
                      "A level ends when no block moves farther in an iteration."),
            choiceParam("variant-match", affine::matchFamily.standard, affine::matchFamily.names(),
                        affine::matchFamily.help)
                .titled("match kernel")
                .forCudaOnly(),
        });
        rows.addPreset("default", {});
        return rows;
    }();
    return table;
}

double AffineLevel::standardError() const {
    return iterations.empty()
               ? 0
               : iterations.back().rms / std::sqrt(static_cast<double>(iterations.back().kept));
}

const char* name(AffineStart start) {
    switch (start) {
    case AffineStart::Initial:
        return "initial map";
    case AffineStart::CentersOfMass:
        return "centers of mass";
    case AffineStart::CentersOfGrids:
        return "centers of the grids";
    }
    return "";
}

} // namespace systole
