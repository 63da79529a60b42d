// Bending energy of a B-spline: the mean of its squared second derivatives. Rueckert et al., IEEE
// TMI 18(8), 1999, eq. 4, integrated exactly; zero for affine displacements.
//
//     mean |∂xx d|² + |∂yy d|² + |∂zz d|² + 2 |∂xy d|² + 2 |∂xz d|² + 2 |∂yz d|²
#pragma once

#include "compute/methods/ffd/quadratic_form.h"

namespace systole {

std::vector<QuadraticTerm> bendingTerms();

} // namespace systole
