// The linear system of one warp and its solvers. With t the unknown field,
//
//     (J + alpha L + beta G) t = b,
//
// L the graph Laplacian of the grid with edge weights per axis (missing neighbors drop out), G the
// normal operator of a discrete divergence. The solution minimizes tᵀJt − 2bᵀt + alpha tᵀLt + beta
// tᵀGt.
//
// t is in smallest spacings along every axis; differences along an axis are brought to the same
// unit by `scale`.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <array>

namespace systole {

/// Discretization of the divergence on the grid.
enum class DivergenceStencil {
    /// The stencil as printed: central second differences, all beta terms off where the stencil
    /// leaves the
    /// grid.
    Paper,
    /// Derived from a discrete energy: the mean of (div w)² over the eight choices of forward or
    /// backward difference along each axis, where a difference that leaves the grid counts as zero.
    /// Its mixed terms are products of central differences, its straight ones compact second
    /// differences.
    Energy
};

struct ClgSystem {
    /// J11 J12 J13 J22 J23 J33, then b1 b2 b3.
    std::array<VolumeView<float>, 9> coefficient;
    /// alpha · (s_min / s_axis)²; 0 along an axis of one voxel.
    std::array<float, 3> smoothness{1, 1, 1};
    /// (s_min / s_axis): turns a difference along an axis into one per smallest voxel.
    std::array<float, 3> scale{1, 1, 1};
    float beta = 0;
    DivergenceStencil stencil = DivergenceStencil::Energy;
    VolumeView<const float> incompressibility; ///< weight on beta; empty: 1

    constexpr Size3 size() const { return coefficient[0].size; }
};

struct SolveResult {
    int sweeps = 0;
    double lastChange = 0; ///< largest change of any component in the last sweep measured, voxel
};

enum class ClgSolver { Jacobi, RedBlack, Multigrid };

struct SolveOptions {
    ClgSolver solver = ClgSolver::RedBlack;
    int sweeps = 30;
    double tolerance = 0;
    double omega = 1.7;
};

/// Improves `t` in place. The fast implementation.
SolveResult solveClg(const ClgSystem& system, FieldView<float> t, const SolveOptions& options,
                     const ExecContext& ctx);
/// The iterations of solveClg() as plain loops over voxels.
SolveResult solveClgReference(const ClgSystem& system, FieldView<float> t,
                              const SolveOptions& options, const ExecContext& ctx);

/// Maximum bytes that these and addDivergenceOf take from the pool; `withBeta`: the system has beta
/// > 0, perhaps with a weight.
std::size_t solveClgBytes(Size3 size, const SolveOptions& options, bool withBeta);
std::size_t solveClgReferenceBytes(Size3 size, const SolveOptions& options, bool withBeta);

/// b ← b + beta·G·w0: the divergence then sees t − w0, the increment alone.
void addDivergenceOf(ClgSystem& system, FieldView<const float> w0, const ExecContext& ctx);
/// addDivergenceOf() as plain loops over voxels.
void addDivergenceOfReference(ClgSystem& system, FieldView<const float> w0, const ExecContext& ctx);

/// tᵀJt − 2bᵀt + alpha tᵀLt + beta tᵀGt
double clgEnergy(const ClgSystem& system, FieldView<const float> t, const ExecContext& ctx);

} // namespace systole
