#include "compute/methods/ffd/penalties.h"

#include "compute/methods/ffd/penalty_bending.h"
#include "compute/methods/ffd/penalty_elastic.h"

namespace systole {

Penalties::Penalties(const PenaltyWeights& weights, const ControlGrid& grid, Vec3 unit)
    : integrals_(grid, unit) {
    const auto addTerms = [&](std::vector<QuadraticTerm> terms, double weight) {
        for (QuadraticTerm& term : terms) {
            term.weight *= weight;
            if (weight > 0)
                terms_.push_back(term);
        }
    };
    addTerms(bendingTerms(), weights.bending);
    addTerms(elasticTerms(), weights.elasticity);
}

double Penalties::add(ControlPointsView<const float> points, ControlPointsView<float> gradient,
                      const ExecContext& ctx) const {
    return addQuadratic(terms_, integrals_, points, 1, gradient, ctx);
}

} // namespace systole
