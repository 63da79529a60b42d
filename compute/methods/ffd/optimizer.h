// Minimization of an energy whose unknowns lie where its backend keeps them: conjugate gradients
// (Polak and Ribière) and L-BFGS (Nocedal, Mathematics of Computation 35, 1980, two-loop
// recursion), both preconditioned, each with a line search.
#pragma once

#include <algorithm>
#include <span>

namespace systole {

/// a · b, or a · P b: slots, and whether the metric P lies between them.
struct DescentProduct {
    int a, b;
    bool metric = false;
};

/// factor · v, or factor · P v.
struct DescentTerm {
    double factor;
    int slot;
    bool metric = false;
};

/// Length of a search's first step.
struct StepLimit {
    double length = 0; ///< multiple of the direction
    double reach = 0;  ///< displacement of the farthest point, smallest voxels; 0: `length` counts
    double maxReach = 0; ///< maximum displacement of a point, smallest voxels

    /// The step as a multiple of a direction whose longest displacement is `longest`.
    constexpr double lengthOf(double longest) const {
        return std::min(reach > 0 ? reach / longest : length, maxReach / longest);
    }
};
struct FirstStep {
    double longest = 0; ///< DescentProblem::longest() of the direction
    double energy = 0;
};

/// Maximum numbers of products and terms that minimize() requests in one call.
inline constexpr int maxDescentProducts = 25, maxDescentTerms = 11;

/// The energy and its vectors of unknowns, which are numbered slots of the backend's memory. The
/// metric P is symmetric and positive: the energy is descended in it, best the inverse of its
/// curvature but for a factor.
class DescentProblem {
public:
    virtual ~DescentProblem() = default;
    /// Energy at the unknowns of a slot; infinite where it has none.
    virtual double value(int slot) = 0;
    /// Writes the gradient at the unknowns of `slot` into `out`: those of the last value().
    virtual void gradient(int slot, int out) = 0;
    /// Writes the products in their order; `values` is as long.
    virtual void products(std::span<const DescentProduct> wanted, std::span<double> values) = 0;
    /// out = the sum of at least one term; `out` may be the slot of one.
    virtual void combine(int out, std::span<const DescentTerm> terms) = 0;
    /// The largest displacement that the vector gives to a point, in smallest voxels.
    virtual double longest(int slot) = 0;
    /// A search's first step: value(out), where `out` becomes from + length · direction. A backend
    /// whose memory is elsewhere needs to wait once only.
    virtual FirstStep firstStep(int from, int direction, int out, const StepLimit& limit);
    /// Called after each iteration with the slot of the best unknowns so far.
    virtual void iterated(int iteration, double energy, int slot) = 0;
};

enum class Descent { ConjugateGradient, Lbfgs };

struct DescentOptions {
    Descent method = Descent::Lbfgs;
    int iterations = 100;       ///< maximum per level
    double firstStep = 1;       ///< longest displacement of the first step, smallest voxels
    double longestStep = 4;     ///< longest displacement of any step, smallest voxels
    double smallestStep = 0.01; ///< a line search gives up below it
    /// Converged: two iterations in a row lower the energy by less than this share of what the
    /// level has gained.
    double tolerance = 1e-3;
};

struct DescentResult {
    int iterations = 0;  ///< number of iterations, at least 1
    int evaluations = 0; ///< calls of value()
    double energy = 0;   ///< energy of the result
    int slot = 0;        ///< slot of the result
};

/// Number of slots that minimize() uses, 0 to slots − 1. On entry slot 0 holds the unknowns to
/// start from.
int descentSlots(Descent method);

/// The energy never rises. Exceptions of the problem pass through.
DescentResult minimize(DescentProblem& problem, const DescentOptions& options);

} // namespace systole
