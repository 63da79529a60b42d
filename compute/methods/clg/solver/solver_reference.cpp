// The solvers as plain loops over voxels: the reference for the fast CPU and CUDA implementations.
#include "compute/methods/clg/solver/convergence.h"
#include "compute/methods/clg/solver/math.h"
#include "compute/methods/clg/solver/multigrid.h"
#include "compute/methods/clg/solver/system.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// Every value on the right-hand side is from the previous iteration.
double jacobiSweep(const ClgSystem& system, FieldView<float> t, FieldView<float> previous,
                   float damping, const ExecContext& ctx) {
    copy(t, previous);
    return largestOverVoxels(t.size, ctx, [&](int x, int y, int z) {
        const Voxel p{x, y, z};
        const std::size_t i = t.componentView(0).offset(x, y, z);
        const std::array<float, 3> solved = clg::jacobiStep(system, previous, p);
        double largest = 0;
        for (int k = 0; k < 3; ++k) {
            const float old = previous.component(k)[i];
            const float change = damping * (solved[static_cast<std::size_t>(k)] - old);
            t.component(k)[i] = old + change;
            largest = std::max(largest, static_cast<double>(std::abs(change)));
        }
        return largest;
    });
}

double redBlackSweep(const ClgSystem& system, FieldView<float> t, float omega,
                     const ExecContext& ctx) {
    double largest = 0;
    const int colors = clg::colorsOf(system.beta);
    for (int color = 0; color < colors; ++color)
        largest = std::max(largest, largestOverVoxels(t.size, ctx, [&](int x, int y, int z) {
                               const Voxel p{x, y, z};
                               if (clg::colorOf(p, colors) != color)
                                   return 0.0;
                               const std::size_t i = clg::offset(t.size, p);
                               const std::array<float, 3> solved = clg::relaxedBlock(system, t, p);
                               double change = 0;
                               for (int k = 0; k < 3; ++k) {
                                   float& value = t.component(k)[i];
                                   const float step =
                                       omega * (solved[static_cast<std::size_t>(k)] - value);
                                   value += step;
                                   change = std::max(change, static_cast<double>(std::abs(step)));
                               }
                               return change;
                           }));
    return largest;
}

} // namespace

std::size_t solveClgReferenceBytes(Size3 size, const SolveOptions& options, bool withBeta) {
    if (options.solver == ClgSolver::Multigrid)
        return multigridBytes(size, withBeta, 0);
    return options.solver == ClgSolver::Jacobi
               ? BufferPool::blockBytes(3 * sizeof(float) * size.voxels())
               : 0;
}

SolveResult solveClgReference(const ClgSystem& system, FieldView<float> t,
                              const SolveOptions& options, const ExecContext& ctx) {
    if (options.solver == ClgSolver::Multigrid)
        return solveMultigrid(system, t, options, ctx);
    Buffer<float> scratch;
    FieldView<float> previous;
    if (options.solver == ClgSolver::Jacobi) {
        scratch = ctx.pool->acquire<float>(3 * t.size.voxels(), "solver, previous field");
        previous = {scratch.data(), t.size};
    }
    const float damping = clg::jacobiDamping(system);
    SolveResult result;
    ConvergenceTest test(options.tolerance);
    while (result.sweeps < options.sweeps) {
        ctx.throwIfCancelled();
        result.lastChange = options.solver == ClgSolver::Jacobi
                                ? jacobiSweep(system, t, previous, damping, ctx)
                                : redBlackSweep(system, t, static_cast<float>(options.omega), ctx);
        ++result.sweeps;
        if (test.wants(result.sweeps) && test.reached(result.sweeps, result.lastChange))
            break;
    }
    return result;
}

void addDivergenceOfReference(ClgSystem& system, FieldView<const float> w0,
                              const ExecContext& ctx) {
    overVoxels(w0.size, ctx, [&](int x, int y, int z) {
        const Voxel p{x, y, z};
        const std::size_t i = w0.componentView(0).offset(x, y, z);
        for (int k = 0; k < 3; ++k) {
            clg::Equation e;
            clg::addDivergence(system, w0, p, k, e);
            system.coefficient[6 + static_cast<std::size_t>(k)].data[i] +=
                e.diagonal * w0.component(k)[i] - e.rest;
        }
    });
}

double clgEnergy(const ClgSystem& system, FieldView<const float> t, const ExecContext& ctx) {
    // tᵀAt − 2bᵀt, with (At − b) from the voxels' equations: tᵀ(At − b) − bᵀt.
    return sumOverVoxels(t.size, ctx, [&](int x, int y, int z) {
        const std::size_t i = t.componentView(0).offset(x, y, z);
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            const clg::Equation e = clg::equation(system, t, {x, y, z}, k);
            const double value = t.component(k)[i];
            const double b = system.coefficient[6 + static_cast<std::size_t>(k)].data[i];
            sum += value * (e.diagonal * value - e.rest) - b * value;
        }
        return sum;
    });
}

} // namespace systole
