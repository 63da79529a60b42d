#include "compute/methods/clg/solver/multigrid.h"

#include "compute/methods/clg/solver/multigrid_math.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace systole {
namespace {

using clg::coarsestSweeps;
using clg::fullWeighting;
using clg::smoothingSweeps;

/// One grid of the cycle: its own system (except on the finest), its field and its residual.
struct Grid {
    ClgSystem system;
    std::array<int, 3> factor{1, 1, 1}; ///< coarsening factor from the next finer grid
    Buffer<float> storage;              ///< nine coefficients and the correction
    FieldView<float> correction;
    Buffer<float> weight;
};

void restrictVolume(VolumeView<const float> fine, const std::array<int, 3>& factor,
                    VolumeView<float> coarse, const ExecContext& ctx) {
    overVoxels(coarse.size, ctx, [&](int x, int y, int z) {
        coarse(x, y, z) = fullWeighting(fine.size, factor, {x, y, z},
                                        [&](Voxel q) { return fine(q.x, q.y, q.z); });
    });
}

std::unique_ptr<Grid> coarsen(const ClgSystem& fine, const ExecContext& ctx) {
    const Size3 size = fine.size();
    auto grid = std::make_unique<Grid>();
    grid->factor = clg::coarseningOf(size);
    const Size3 coarse = clg::coarsened(size, grid->factor);
    if (coarse == size)
        return nullptr;
    const std::size_t n = coarse.voxels();
    grid->storage = ctx.pool->acquire<float>(12 * n, "multigrid");
    for (std::size_t k = 0; k < 9; ++k)
        grid->system.coefficient[k] = {grid->storage.data() + k * n, coarse};
    grid->correction = {grid->storage.data() + 9 * n, coarse};
    grid->system.beta = fine.beta;
    grid->system.stencil = fine.stencil;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float step = 1.0f / static_cast<float>(grid->factor[axis]);
        grid->system.smoothness[axis] = fine.smoothness[axis] * step * step;
        grid->system.scale[axis] = fine.scale[axis] * step;
    }
    for (std::size_t k = 0; k < 6; ++k)
        restrictVolume(fine.coefficient[k], grid->factor, grid->system.coefficient[k], ctx);
    if (!fine.incompressibility.empty()) {
        grid->weight = ctx.pool->acquire<float>(n, "multigrid, volume weight");
        const VolumeView<float> weight(grid->weight.data(), coarse);
        restrictVolume(fine.incompressibility, grid->factor, weight, ctx);
        grid->system.incompressibility = weight;
    }
    return grid;
}

SolveResult smoothOut(const ClgSystem& system, FieldView<float> t, int sweeps,
                      const ExecContext& ctx) {
    SolveOptions options;
    options.solver = ClgSolver::RedBlack;
    options.sweeps = sweeps;
    options.omega = 1;
    return ctx.backend == Backend::CpuReference ? solveClgReference(system, t, options, ctx)
                                                : solveClg(system, t, options, ctx);
}

void restrictResidual(const ClgSystem& fine, FieldView<const float> t, Grid& coarse,
                      const ExecContext& ctx) {
    const Size3 size = fine.size();
    Buffer<float> storage = ctx.pool->acquire<float>(3 * size.voxels(), "multigrid, residual");
    const FieldView<float> residual(storage.data(), size);
    overVoxels(size, ctx, [&](int x, int y, int z) {
        const Voxel p{x, y, z};
        const std::size_t i = residual.componentView(0).offset(p.x, p.y, p.z);
        for (int k = 0; k < 3; ++k) {
            const clg::Equation e = clg::equation(fine, t, p, k);
            residual.component(k)[i] = e.rest - e.diagonal * t.component(k)[i];
        }
    });
    for (int k = 0; k < 3; ++k)
        restrictVolume(residual.componentView(k), coarse.factor,
                       coarse.system.coefficient[6 + static_cast<std::size_t>(k)], ctx);
}

void addCorrection(const Grid& coarse, FieldView<float> t, const ExecContext& ctx) {
    const Size3 size = coarse.system.size();
    overVoxels(t.size, ctx, [&](int x, int y, int z) {
        const Voxel p{x, y, z};
        const std::size_t i = t.componentView(0).offset(p.x, p.y, p.z);
        for (int k = 0; k < 3; ++k)
            t.component(k)[i] +=
                clg::prolonged(size, coarse.factor, p, coarse.correction.componentView(k));
    });
}

SolveResult cycle(const std::vector<const ClgSystem*>& systems,
                  const std::vector<std::unique_ptr<Grid>>& grids, std::size_t level,
                  FieldView<float> t, const ExecContext& ctx) {
    const ClgSystem& system = *systems[level];
    if (level + 1 == systems.size())
        return smoothOut(system, t, coarsestSweeps, ctx);
    smoothOut(system, t, smoothingSweeps, ctx);
    Grid& coarse = *grids[level];
    restrictResidual(system, t, coarse, ctx);
    std::fill_n(coarse.correction.u, 3 * coarse.system.size().voxels(), 0.0f);
    cycle(systems, grids, level + 1, coarse.correction, ctx);
    addCorrection(coarse, t, ctx);
    return smoothOut(system, t, smoothingSweeps, ctx);
}

} // namespace

std::size_t multigridBytes(Size3 size, bool weighted, std::size_t smootherBytes) {
    const auto floats = [](std::size_t count) {
        return BufferPool::blockBytes(sizeof(float) * count);
    };
    std::size_t grids = 0;
    for (const Size3 grid : clg::gridSizes(size))
        if (grid != size)
            grids += floats(12 * grid.voxels()) + (weighted ? floats(grid.voxels()) : 0);
    return grids + std::max(floats(3 * size.voxels()), smootherBytes);
}

SolveResult solveMultigrid(const ClgSystem& system, FieldView<float> t, const SolveOptions& options,
                           const ExecContext& ctx) {
    std::vector<std::unique_ptr<Grid>> grids;
    std::vector<const ClgSystem*> systems{&system};
    while (auto grid = coarsen(*systems.back(), ctx)) {
        grids.push_back(std::move(grid));
        systems.push_back(&grids.back()->system);
    }
    SolveResult result;
    do {
        ctx.throwIfCancelled();
        result.lastChange = cycle(systems, grids, 0, t, ctx).lastChange;
        result.sweeps += 2 * smoothingSweeps;
    } while (result.sweeps < options.sweeps &&
             !(options.tolerance > 0 && result.lastChange < options.tolerance));
    return result;
}

} // namespace systole
