// Algebraic multigrid by smoothed aggregation, as a preconditioner for conjugate gradients.
#pragma once

#include "compute/sparse/conjugate_gradients.h"

#include <memory>
#include <vector>

namespace systole::sparse {

/// Vectors that the matrix nearly takes to zero, which every level keeps: the six rigid motions for
/// elasticity, a constant for a Laplacian. `count` values for each unknown, one of each vector.
struct NearKernel {
    int count = 1;
    std::vector<double> values; ///< unknowns · count
};

struct MultigridOptions {
    int blockSize = 1; ///< unknowns of a node on the finest level, side by side
    /// Nodes i and j are strongly coupled if ‖A_ij‖² > strength² ‖A_ii‖ ‖A_jj‖ (Frobenius). Halved
    /// from level to level.
    double strength = 0.08;
    int smootherDegree = 3; ///< degree of the Chebyshev polynomial, before and after the correction
    std::int64_t coarsest = 600; ///< unknowns that are solved directly
    int maxLevels = 12;
};

/// A level of a hierarchy; levels are listed finest first.
struct MultigridLevel {
    std::int64_t unknowns = 0, entries = 0;
};

/// The hierarchy of a symmetric positive definite matrix (Vaněk, Mandel and Brezina, Computing 56
/// (1996)): nodes are aggregated along strong couplings, the near kernel restricted to each
/// aggregate and made orthonormal is the tentative prolongator, which a step of damped Jacobi
/// smooths; coarse matrices are R A P. Aggregates that can't carry all of the near kernel get fewer
/// unknowns. Chebyshev smoothers, so that the same bits come from any number of threads.
class Multigrid {
public:
    /// `a` must outlive the hierarchy. Throws ComputeError if sizes don't fit or the diagonal isn't
    /// positive, and Cancelled.
    Multigrid(const CsrMatrix<double>& a, const NearKernel& kernel, const MultigridOptions& options,
              ExecContext& ctx);
    ~Multigrid();
    Multigrid(const Multigrid&) = delete;
    Multigrid& operator=(const Multigrid&) = delete;

    const std::vector<MultigridLevel>& levels() const;
    /// Entries of all levels over those of the finest.
    double operatorComplexity() const;
    /// Seconds of the set-up, and of its products R A P.
    double setUpSeconds() const;
    double productSeconds() const;

    /// z = one V-cycle for A z = r from zero: symmetric, positive definite. Uses the context of the
    /// call, and is used by one thread at a time; the hierarchy must outlive it.
    Preconditioner preconditioner(ExecContext& ctx);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole::sparse
