// The steps of CLG that have several implementations: plain loops, SIMD rows, CUDA. All share the
// outer loop over pyramid levels and warps (clg.cpp).
//
// The solver's unknown and the gradient are in the level's smallest spacing, so that a millimetre
// counts the same along every axis; stored fields are in voxels. `scale` (PyramidLevel) converts.
#pragma once

#include "compute/methods/clg/solver/energy_rows.h"
#include "compute/methods/clg/solver/system.h"
#include "compute/ops/smooth.h"

#include <memory>

namespace systole {

struct TensorInput {
    VolumeView<const float> fixed;
    VolumeView<const float> warped;
    VolumeView<const float> inside; ///< 1 where the warped value is data, 0 where not; empty: 1
    bool centralGradient = true;    ///< central, of both frames' mean; else forward, of fixed
    std::array<float, 3> scale{1, 1, 1}; ///< voxels of each axis per unit of the gradient
    /// The data term is divided by |∇I|² + epsilon (gray²); negative: not divided.
    float epsilon = 1;
};

class ClgForm {
public:
    /// `plain`: the solvers run as plain loops.
    explicit ClgForm(bool plain) : plain_(plain) {}
    virtual ~ClgForm() = default;

    /// Writes the products J11 J12 J13 J22 J23 J33 J14 J24 J34 before smoothing. Border derivatives
    /// are zero. Returns the root mean square of It / sqrt(|∇I|² + epsilon) over the voxels inside:
    /// the remaining disagreement of the frames, as displacement along the gradient in voxels.
    virtual double tensor(const TensorInput& input, const std::array<VolumeView<float>, 9>& out,
                          const ExecContext& ctx) const = 0;
    virtual void smooth(VolumeView<float> volume, const TapsOfAxes& taps,
                        const ExecContext& ctx) const = 0;
    /// Turns coefficient[6..8], which are J14 J24 J34, into J·w0 − (J14 J24 J34).
    virtual void rightHandSide(const std::array<VolumeView<float>, 9>& coefficient,
                               FieldView<const float> w0, const ExecContext& ctx) const = 0;
    /// `cubic`: cubicSample(), else trilinear.
    virtual void warp(VolumeView<const float> moving, FieldView<const float> field,
                      VolumeView<float> out, VolumeView<float> inside, bool cubic,
                      const ExecContext& ctx) const = 0;
    /// out = d + w∘(id + d), d = scale·t − w; `t` becomes d. w, d and out are in voxels.
    virtual void compose(FieldView<const float> w, FieldView<float> t, std::array<float, 3> scale,
                         FieldView<float> out, const ExecContext& ctx) const = 0;

    /// b += beta·G·w0, b and w0 in the solver's units.
    void addDivergence(ClgSystem& system, FieldView<const float> w0, const ExecContext& ctx) const {
        (plain_ ? addDivergenceOfReference : addDivergenceOf)(system, w0, ctx);
    }
    SolveResult solve(const ClgSystem& system, FieldView<float> t, const SolveOptions& options,
                      const ExecContext& ctx) const {
        return (plain_ ? solveClgReference : solveClg)(system, t, options, ctx);
    }
    double energy(const ClgSystem& system, FieldView<const float> t, const ExecContext& ctx) const {
        return (plain_ || system.beta > 0 ? clgEnergy : clgEnergyOfRows)(system, t, ctx);
    }
    /// See solveClgBytes().
    std::size_t solveBytes(Size3 size, const SolveOptions& options, bool withBeta) const {
        return (plain_ ? solveClgReferenceBytes : solveClgBytes)(size, options, withBeta);
    }

private:
    bool plain_;
};

std::unique_ptr<ClgForm> makeClgReferenceForm();
std::unique_ptr<ClgForm> makeClgCpuForm();

} // namespace systole
