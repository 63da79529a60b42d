// Linear elastic energy of a B-spline with equal Lamé constants: the mean of
//
//     |ε|² + (div d)²/2,   ε = (∇d + ∇dᵀ)/2
//
// integrated exactly. Zero for displacements that only translate or, to first order, rotate.
#pragma once

#include "compute/methods/ffd/quadratic_form.h"

namespace systole {

std::vector<QuadraticTerm> elasticTerms();

} // namespace systole
