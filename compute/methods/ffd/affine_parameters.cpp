#include "compute/core/bound_params.h"
#include "compute/core/enum_text.h"
#include "compute/cuda/kernel_choice.h"
#include "compute/methods/ffd/affine.h"
#include "compute/methods/ffd/affine_blocks.h"
#include "compute/ops/pyramid.h"

#include <cmath>

namespace systole {

namespace {

const BoundTable<AffineParameters>& table() {
    static const BoundTable<AffineParameters> all = [] {
        using P = AffineParameters;
        BoundTable<P> rows;
        rows.add(choiceParam("dof", "affine", {"rigid", "affine"},
                             "Rotation and translation, or scales and shears as well."))
            .titled("degrees of freedom");
        rows.onOff(&P::symmetric, "symmetric", false,
                   "Match in both directions and take the map half-way between.");
        rows.onOff(&P::anyContrast, "any-contrast", false,
                   "Compare by squared correlation: contrasts may be inverted, as between "
                   "different modalities.")
            .titled("any contrast");
        rows.integer(&P::levels, "levels", 4, 1, 10, "", "Maximum number of resolutions.")
            .titled("pyramid levels");
        rows.integer(&P::iterations, "iterations", 10, 1, 1000, "",
                     "Maximum number of iterations per level, rigid and affine each.")
            .usually(1, 100)
            .titled("iterations per level");
        rows.real(&P::blocks, "blocks", 50, 1, 100, "%",
                  "Share of the blocks that is matched: those that vary most.")
            .titled("blocks used");
        rows.real(&P::inliers, "inliers", 50, 1, 100, "%",
                  "Share of the matched blocks that the map fits; the rest may move otherwise.")
            .titled("blocks fitted");
        rows.real(&P::tolerance, "tolerance", 0.03, 1e-6, 1, "voxel",
                  "A level ends when no block moves farther in an iteration.");
        rows.add(&P::matchVariant, variantParam(affine::matchFamily));
        rows.addPreset("default", {});
        return rows;
    }();
    return all;
}

} // namespace

AffineParameters AffineParameters::from(const ParamSet& values) {
    AffineParameters p = table().from(values);
    p.rigid = values.choice("dof") == "rigid";
    p.blocks /= 100;
    p.inliers /= 100;
    return p;
}

const ParamTable& affineParameterTable() { return table().table(); }

double AffineLevel::standardError() const {
    return iterations.empty()
               ? 0
               : iterations.back().rms / std::sqrt(static_cast<double>(iterations.back().kept));
}

const char* name(AffineStart start) {
    return enumText(start, {"initial map", "centers of mass", "centers of the grids"});
}

} // namespace systole
