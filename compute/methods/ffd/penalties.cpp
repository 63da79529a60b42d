#include "compute/methods/ffd/penalties.h"

#include "compute/methods/ffd/penalty_bending.h"
#include "compute/methods/ffd/penalty_elastic.h"
#include "compute/methods/ffd/penalty_jacobian.h"

namespace systole {

Penalties::Penalties(const PenaltyWeights& weights, const ControlGrid& grid, Vec3 unit)
    : integrals_(grid, unit), jacobian_(weights.jacobian) {
    const auto addTerms = [&](std::vector<QuadraticTerm> terms, double weight) {
        for (QuadraticTerm& term : terms) {
            // The product is rounded to single precision, as on a device.
            term.weight =
                static_cast<double>(static_cast<float>(term.weight) * static_cast<float>(weight));
            if (weight > 0)
                terms_.push_back(term);
        }
    };
    addTerms(bendingTerms(), weights.bending);
    addTerms(elasticTerms(), weights.elasticity);
}

double Penalties::add(ControlPointsView<const float> points, ControlPointsView<float> gradient,
                      const ExecContext& ctx) const {
    double sum = terms_.empty() ? 0 : addQuadratic(terms_, integrals_, points, 1, gradient, ctx);
    if (jacobian_ > 0)
        sum += addJacobianPenalty(points, jacobian_, gradient, ctx);
    return sum;
}

} // namespace systole
