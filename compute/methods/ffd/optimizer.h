// Minimization of an energy whose unknowns lie where its backend keeps them: conjugate gradients
// (Polak and Ribière) and L-BFGS (Nocedal, Mathematics of Computation 35, 1980, two-loop
// recursion), both preconditioned, each with a line search.
#pragma once

#include <functional>
#include <vector>

namespace systole {

/// The energy and its vectors of unknowns, which are numbered slots of the backend's memory.
class DescentProblem {
public:
    virtual ~DescentProblem() = default;
    /// Energy at the unknowns of a slot; infinite where it has none.
    virtual double value(int slot) = 0;
    /// Writes the gradient at the unknowns of `slot` into `out`: those of the last value().
    virtual void gradient(int slot, int out) = 0;
    virtual double dot(int a, int b) = 0;
    /// out = a · x + b · y; out may be x or y.
    virtual void combine(int out, double a, int x, double b, int y) = 0;
    /// out = P · in; out may be in. P is symmetric and positive: the metric in which the energy is
    /// descended, best the inverse of its curvature but for a factor.
    virtual void precondition(int in, int out) = 0;
    /// The largest displacement that the vector gives to a point, in smallest voxels.
    virtual double longest(int slot) = 0;
    /// Called after each iteration with the slot of the best unknowns so far.
    virtual void iterated(int iteration, double energy, int slot) = 0;
};

enum class Descent { ConjugateGradient, Lbfgs };

struct DescentOptions {
    Descent method = Descent::Lbfgs;
    int iterations = 100;       ///< at most
    double firstStep = 1;       ///< longest displacement of the first step, smallest voxels
    double longestStep = 4;     ///< of any step
    double smallestStep = 0.01; ///< a line search gives up below it
    /// Converged: two iterations in a row lower the energy by less than this share of what the
    /// level has gained.
    double tolerance = 1e-3;
};

struct DescentResult {
    int iterations = 0;  ///< made, at least 1
    int evaluations = 0; ///< calls of value()
    double energy = 0;   ///< of the result
    int slot = 0;        ///< where the result lies
};

/// Number of slots that minimize() uses, 0 to slots − 1. On entry slot 0 holds the unknowns to
/// start from.
int descentSlots(Descent method);

/// The energy never rises. Exceptions of the problem pass through.
DescentResult minimize(DescentProblem& problem, const DescentOptions& options);

} // namespace systole
