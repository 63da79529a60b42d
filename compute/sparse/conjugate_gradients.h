// Conjugate gradients for symmetric positive definite sparse systems, on the host.
#pragma once

#include "compute/core/exec.h"
#include "compute/sparse/csr_matrix.h"

#include <functional>
#include <span>
#include <vector>

namespace systole::sparse {

/// y = A x. Throws ComputeError if the sizes don't fit, and Cancelled.
void multiply(const CsrMatrix<double>& a, std::span<const double> x, std::span<double> y,
              ExecContext& ctx);

/// z = M⁻¹ r for a symmetric positive definite M near the matrix; empty: the identity.
using Preconditioner = std::function<void(std::span<const double> r, std::span<double> z)>;

/// Division by the diagonal. Throws ComputeError if it isn't finite and positive.
Preconditioner jacobiPreconditioner(const CsrMatrix<double>& a);
Preconditioner jacobiPreconditioner(std::span<const double> diagonal);

struct ConjugateGradientOptions {
    double tolerance = 1e-8; ///< largest ratio of |b - A x| over |b|; above 0
    int maxIterations = 10000;
};

struct ConjugateGradientReport {
    int iterations = 0;
    double relativeResidual = 0; ///< |b - A x| / |b|, recomputed from x at the end
    bool converged = false;      ///< the residual of the recurrence reached the tolerance
};

/// Preconditioned conjugate gradients (Saad, Iterative Methods, 2nd ed., algorithm 9.1), from the
/// start in `x`, which becomes the solution. The same bits for any number of threads. Throws
/// ComputeError if sizes don't fit or the matrix turns out not to be positive definite, and
/// Cancelled.
ConjugateGradientReport solveByConjugateGradients(const CsrMatrix<double>& a,
                                                  std::span<const double> b, std::span<double> x,
                                                  const Preconditioner& preconditioner,
                                                  const ConjugateGradientOptions& options,
                                                  ExecContext& ctx);

/// y = A x for a matrix that isn't stored.
using Product = std::function<void(std::span<const double> x, std::span<double> y)>;

/// Overload with a product whose bits don't depend on threads.
ConjugateGradientReport solveByConjugateGradients(const Product& product, std::span<const double> b,
                                                  std::span<double> x,
                                                  const Preconditioner& preconditioner,
                                                  const ConjugateGradientOptions& options,
                                                  ExecContext& ctx);

} // namespace systole::sparse
