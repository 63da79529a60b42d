#include "compute/methods/clg/solver/convergence.h"
#include "compute/methods/clg/solver/multigrid.h"
#include "compute/methods/clg/solver/red_black_cpu.h"
#include "compute/methods/clg/solver/system.h"

#include <algorithm>

namespace systole {

namespace {

/// Jacobi and the printed stencil serve to follow the paper: both run as plain loops.
bool hasRows(const ClgSystem& system, const SolveOptions& options) {
    return options.solver != ClgSolver::Jacobi &&
           (system.beta == 0 || system.stencil == DivergenceStencil::Energy);
}

} // namespace

std::size_t solveClgBytes(Size3 size, const SolveOptions& options, bool withBeta) {
    if (options.solver == ClgSolver::Multigrid)
        return multigridBytes(size, withBeta, ColorSystem::bytes(size, withBeta));
    if (options.solver == ClgSolver::Jacobi)
        return std::max(solveClgReferenceBytes(size, options, withBeta),
                        withBeta ? ColorSystem::productBytes(size, withBeta) : 0);
    return ColorSystem::bytes(size, withBeta);
}

SolveResult solveClg(const ClgSystem& system, FieldView<float> t, const SolveOptions& options,
                     const ExecContext& ctx) {
    if (options.solver == ClgSolver::Multigrid)
        return solveMultigrid(system, t, options, ctx);
    if (!hasRows(system, options))
        return solveClgReference(system, t, options, ctx);

    ColorSystem colors(system, ctx);
    colors.setSystem(system, ctx);
    colors.load(t, ctx);
    SolveResult result;
    ConvergenceTest test(options.tolerance);
    while (result.sweeps < options.sweeps) {
        ctx.throwIfCancelled();
        // Up to the next look at the changes.
        const int count = std::min(changeCheckInterval, options.sweeps - result.sweeps);
        const std::vector<double> changes =
            colors.sweep(count, static_cast<float>(options.omega), ctx);
        bool reached = false;
        for (const double change : changes) {
            ++result.sweeps;
            reached = test.wants(result.sweeps) && test.reached(result.sweeps, change);
        }
        result.lastChange = changes.back();
        if (reached)
            break;
    }
    colors.store(t, ctx);
    return result;
}

void addDivergenceOf(ClgSystem& system, FieldView<const float> w0, const ExecContext& ctx) {
    if (system.stencil != DivergenceStencil::Energy)
        return addDivergenceOfReference(system, w0, ctx);
    ColorSystem colors(system, ctx);
    colors.load(w0, ctx);
    colors.addDivergenceTo(system, ctx);
}

} // namespace systole
