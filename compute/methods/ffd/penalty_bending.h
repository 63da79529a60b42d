// Bending energy of a B-spline: the mean of its squared second derivatives. Rueckert et al., IEEE
// TMI 18(8), 1999, eq. 4, integrated exactly; zero for affine displacements.
//
//     mean |∂xx d|² + |∂yy d|² + |∂zz d|² + 2 |∂xy d|² + 2 |∂xz d|² + 2 |∂yz d|²
#pragma once

#include "compute/methods/ffd/quadratic_form.h"

namespace systole {

/// A constant, so that kernels are compiled for these terms.
inline constexpr auto bendingTermList = [] {
    std::array<QuadraticTerm, 18> terms{};
    std::size_t n = 0;
    for (int component = 0; component < 3; ++component)
        for (int first = 0; first < 3; ++first)
            for (int second = first; second < 3; ++second) {
                QuadraticTerm& term = terms[n++];
                term.to = term.from = component;
                ++term.a[first], ++term.b[first];
                ++term.a[second], ++term.b[second];
                term.weight = first == second ? 1 : 2;
            }
    return terms;
}();

inline std::vector<QuadraticTerm> bendingTerms() {
    return {bendingTermList.begin(), bendingTermList.end()};
}

} // namespace systole
