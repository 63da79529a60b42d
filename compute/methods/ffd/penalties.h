// The penalties of a deformation, weighted.
#pragma once

#include "compute/methods/ffd/ffd.h"
#include "compute/methods/ffd/quadratic_form.h"

namespace systole {

struct PenaltyWeights {
    explicit PenaltyWeights(const FfdParameters& p)
        : bending(p.bending), elasticity(p.elasticity), jacobian(p.jacobian) {}
    double bending, elasticity, jacobian;

    /// The weights with smoothness multiplied by `factor`; the weight of volume change stays.
    PenaltyWeights smoother(double factor) const {
        PenaltyWeights weights = *this;
        weights.bending *= factor;
        weights.elasticity *= factor;
        return weights;
    }
};

/// Penalties of control points on one grid. `unit`: lengths of a voxel along each axis, in which
/// displacements and distances are measured.
class Penalties {
public:
    Penalties(const PenaltyWeights& weights, const ControlGrid& grid, Vec3 unit);

    bool none() const { return terms_.empty() && jacobian_ <= 0; }
    /// The weighted quadratic penalties.
    const std::vector<QuadraticTerm>& terms() const { return terms_; }
    const GridIntegrals& integrals() const { return integrals_; }
    /// Their weighted sum; its gradient by the points (voxels) is added to `gradient` unless that
    /// is empty.
    double add(ControlPointsView<const float> points, ControlPointsView<float> gradient,
               const ExecContext& ctx) const;

private:
    GridIntegrals integrals_;
    std::vector<QuadraticTerm> terms_;
    double jacobian_;
};

} // namespace systole
