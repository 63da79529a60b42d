#include "compute/methods/clg/solver/convergence.h"
#include "compute/methods/clg/solver/multigrid.h"
#include "compute/methods/clg/solver/red_black_cpu.h"
#include "compute/methods/clg/solver/system.h"

namespace systole {

std::size_t solveClgBytes(Size3 size, const SolveOptions& options, bool withBeta) {
    if (options.solver == ClgSolver::Multigrid)
        return multigridBytes(size, withBeta, withBeta ? 0 : ColorSystem::bytes(size));
    return options.solver == ClgSolver::Jacobi || withBeta
               ? solveClgReferenceBytes(size, options, withBeta)
               : ColorSystem::bytes(size);
}

SolveResult solveClg(const ClgSystem& system, FieldView<float> t, const SolveOptions& options,
                     const ExecContext& ctx) {
    if (options.solver == ClgSolver::Multigrid)
        return solveMultigrid(system, t, options, ctx);
    // Jacobi serves to follow the paper; the beta terms couple too much for whole-vector rows of
    // one color. Both run as plain loops.
    if (options.solver == ClgSolver::Jacobi || system.beta > 0)
        return solveClgReference(system, t, options, ctx);

    ColorSystem colors(t.size, ctx);
    colors.setSystem(system, ctx);
    colors.load(t, ctx);
    SolveResult result;
    ConvergenceTest test(options.tolerance);
    while (result.sweeps < options.sweeps) {
        ctx.throwIfCancelled();
        const bool last = result.sweeps + 1 == options.sweeps;
        const bool wanted = test.wants(result.sweeps + 1);
        const bool measure = last || wanted;
        const double change = colors.sweep(static_cast<float>(options.omega), measure, ctx);
        ++result.sweeps;
        if (measure)
            result.lastChange = change;
        if (wanted && test.reached(result.sweeps, change))
            break;
    }
    colors.store(t, ctx);
    return result;
}

} // namespace systole
