#include "compute/methods/ffd/penalty_elastic.h"

namespace systole {
namespace {

/// weight · ∂_alongTo d_to · ∂_alongFrom d_from.
QuadraticTerm product(int to, int alongTo, int from, int alongFrom, double weight) {
    QuadraticTerm term;
    term.to = to;
    term.from = from;
    term.a[alongTo] = 1;
    term.b[alongFrom] = 1;
    term.weight = weight;
    return term;
}

} // namespace

std::vector<QuadraticTerm> elasticTerms() {
    std::vector<QuadraticTerm> terms;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (i == j)
                terms.push_back(product(i, i, i, i, 1.5));
            else {
                // ε_ij² appears twice in |ε|², as does each mixed product.
                terms.push_back(product(i, j, i, j, 0.5));
                terms.push_back(product(i, j, j, i, 0.5));
                terms.push_back(product(i, i, j, j, 0.5));
            }
        }
    return terms;
}

} // namespace systole
