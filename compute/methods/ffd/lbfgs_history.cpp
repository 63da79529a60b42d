#include "compute/methods/ffd/lbfgs_history.h"

#include <utility>

namespace systole {

LbfgsHistory::LbfgsHistory(int firstSlot) {
    for (int i = 0; i < slots; ++i)
        free_.push_back(firstSlot + i);
}

void LbfgsHistory::clear() {
    while (!pairs_.empty())
        forget(pairs_.size() - 1);
}

int LbfgsHistory::takeSlot() {
    const int slot = free_.back();
    free_.pop_back();
    return slot;
}

void LbfgsHistory::forget(std::size_t pair) {
    for (const int slot : {pairs_[pair].s, pairs_[pair].y})
        if (slot >= 0)
            free_.push_back(slot);
    pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(pair));
}

int LbfgsHistory::keepStep(double length, int direction) {
    if (pairs_.size() == maxSteps)
        forget(0);
    std::array<bool, maxSteps> taken{};
    for (const Pair& pair : pairs_)
        taken[pair.row] = true;
    std::size_t row = 0;
    while (taken[row])
        ++row;
    pairs_.push_back({direction, -1, length, row});
    return takeSlot();
}

int LbfgsHistory::keepChange(int change) {
    pairs_.back().y = change;
    changed_ = true;
    return takeSlot();
}

void LbfgsHistory::learn(DescentProblem& problem, int gradient) {
    std::vector<DescentProduct> wanted;
    std::vector<std::pair<double*, double>> places; // and the length of the step in the product
    const auto want = [&](double& place, DescentProduct product, double length) {
        wanted.push_back(product);
        places.push_back({&place, length});
    };
    want(gPg_, {gradient, gradient, true}, 1);
    for (const Pair& pair : pairs_) {
        want(gs_[pair.row], {gradient, pair.s}, pair.length);
        want(gPy_[pair.row], {gradient, pair.y, true}, 1);
    }
    if (changed_) {
        const Pair& last = pairs_.back();
        for (const Pair& pair : pairs_) {
            want(sy_[pair.row][last.row], {pair.s, last.y}, pair.length);
            want(yPy_[pair.row][last.row], {pair.y, last.y, true}, 1);
            if (pair.row != last.row)
                want(sy_[last.row][pair.row], {last.s, pair.y}, last.length);
        }
    }
    std::vector<double> values(wanted.size());
    problem.products(wanted, values);
    for (std::size_t i = 0; i < values.size(); ++i)
        *places[i].first = places[i].second * values[i];
    if (!changed_)
        return;
    changed_ = false;
    const std::size_t last = pairs_.back().row;
    for (const Pair& pair : pairs_)
        yPy_[last][pair.row] = yPy_[pair.row][last];
    if (!(sy_[last][last] > 0))
        forget(pairs_.size() - 1);
}

LbfgsHistory::Direction LbfgsHistory::direction(DescentProblem& problem, int gradient) {
    learn(problem, gradient);
    // The vector of the recursion is a sum of the gradient, the changes y and the steps s: loops
    // over vectors become loops over its factors. Before P it is −g + Σ ofY y.
    const std::size_t n = pairs_.size();
    std::vector<double> alpha(n), ofY(n), ofS(n);
    for (std::size_t i = n; i-- > 0;) {
        const std::size_t row = pairs_[i].row;
        double product = -gs_[row];
        for (std::size_t j = i + 1; j < n; ++j)
            product += ofY[j] * sy_[row][pairs_[j].row];
        alpha[i] = product / sy_[row][row];
        ofY[i] = -alpha[i];
    }
    double scale = 1;
    if (n > 0) {
        const std::size_t last = pairs_.back().row;
        scale = sy_[last][last] / yPy_[last][last];
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row = pairs_[i].row;
        double product = -gPy_[row];
        for (std::size_t j = 0; j < n; ++j)
            product += ofY[j] * yPy_[row][pairs_[j].row];
        product *= scale;
        for (std::size_t j = 0; j < i; ++j)
            product += ofS[j] * sy_[pairs_[j].row][row];
        ofS[i] = alpha[i] - product / sy_[row][row];
    }
    Direction result{{{-scale, gradient, true}}, -scale * gPg_};
    for (std::size_t i = 0; i < n; ++i) {
        const Pair& pair = pairs_[i];
        result.terms.push_back({scale * ofY[i], pair.y, true});
        result.terms.push_back({ofS[i] * pair.length, pair.s});
        result.slope += scale * ofY[i] * gPy_[pair.row] + ofS[i] * gs_[pair.row];
    }
    return result;
}

} // namespace systole
