// Linear elastic energy of a B-spline with equal Lamé constants: the mean of
//
//     |ε|² + (div d)²/2,   ε = (∇d + ∇dᵀ)/2
//
// integrated exactly. Zero for displacements that only translate or, to first order, rotate.
#pragma once

#include "compute/methods/ffd/quadratic_form.h"

namespace systole {

/// A constant, so that kernels are compiled for these terms.
inline constexpr auto elasticTermList = [] {
    std::array<QuadraticTerm, 21> terms{};
    std::size_t n = 0;
    // weight · ∂_alongTo d_to · ∂_alongFrom d_from.
    const auto add = [&](int to, int alongTo, int from, int alongFrom, double weight) {
        QuadraticTerm& term = terms[n++];
        term.to = to;
        term.from = from;
        term.a[alongTo] = 1;
        term.b[alongFrom] = 1;
        term.weight = weight;
    };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (i == j) {
                add(i, i, i, i, 1.5);
            } else {
                // ε_ij² appears twice in |ε|², as does each mixed product.
                add(i, j, i, j, 0.5);
                add(i, j, j, i, 0.5);
                add(i, i, j, j, 0.5);
            }
        }
    return terms;
}();

inline std::vector<QuadraticTerm> elasticTerms() {
    return {elasticTermList.begin(), elasticTermList.end()};
}

} // namespace systole
