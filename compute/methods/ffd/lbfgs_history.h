// The last steps of L-BFGS and the direction that follows from them. The two-loop recursion needs
// of its vectors their products alone: those that a new step adds are asked for at once, the rest
// is arithmetic on a few numbers, and the direction is one combination of the vectors.
#pragma once

#include "compute/methods/ffd/optimizer.h"

#include <array>
#include <cstddef>
#include <vector>

namespace systole {

class LbfgsHistory {
public:
    static constexpr int maxSteps = 5; ///< number of steps that are kept
    static constexpr int slots = 2 * maxSteps;

    /// `firstSlot` and those behind it are free: `slots` of them.
    explicit LbfgsHistory(int firstSlot);

    bool empty() const { return pairs_.empty(); }
    void clear();

    /// Takes the slot of a step's direction and returns a free one for it; the step was `length`
    /// times the direction. Forgets the oldest step if there are too many.
    int keepStep(double length, int direction);
    /// Takes the slot of the change that the last kept step made to the gradient, and returns a
    /// free one.
    int keepChange(int change);

    struct Direction {
        std::vector<DescentTerm> terms;
        double slope = 0; ///< gradient · direction
    };
    /// −H · gradient, H from the metric and the steps. Forgets the last step if the energy wasn't
    /// curved upwards along it.
    Direction direction(DescentProblem& problem, int gradient);

private:
    using Row = std::array<double, maxSteps>;
    /// Slots and products; the step s is length × the vector in its slot.
    struct Pair {
        int s = -1, y = -1;
        double length = 0;
        std::size_t row = 0; ///< row of the pair in the arrays below
    };
    void learn(DescentProblem& problem, int gradient);
    int takeSlot();
    void forget(std::size_t pair);

    std::vector<Pair> pairs_; ///< oldest first
    std::vector<int> free_;
    bool changed_ = false;            ///< the last pair's products aren't known yet
    std::array<Row, maxSteps> sy_{};  ///< s_i · y_j
    std::array<Row, maxSteps> yPy_{}; ///< y_i · P y_j
    Row gs_{}, gPy_{};                ///< the gradient · s_i and · P y_i
    double gPg_ = 0;
};

} // namespace systole
