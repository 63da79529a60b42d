#include "compute/methods/ffd/penalty_bending.h"

namespace systole {

std::vector<QuadraticTerm> bendingTerms() {
    std::vector<QuadraticTerm> terms;
    for (int component = 0; component < 3; ++component)
        for (int first = 0; first < 3; ++first)
            for (int second = first; second < 3; ++second) {
                QuadraticTerm term;
                term.to = term.from = component;
                for (const int axis : {first, second}) {
                    ++term.a[axis];
                    ++term.b[axis];
                }
                term.weight = first == second ? 1 : 2;
                terms.push_back(term);
            }
    return terms;
}

} // namespace systole
