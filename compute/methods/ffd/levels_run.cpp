#include "compute/methods/ffd/levels_run.h"

#include "compute/core/error.h"
#include "compute/methods/ffd/control_points.h"

namespace systole {
namespace {

template <typename T>
ControlPointsView<T> viewOf(T* values, const ControlGrid& grid) {
    return {{values, grid.points()}, grid};
}

std::vector<float> refined(const std::vector<float>& points, const FfdLevel& coarse,
                           const FfdLevel& fine) {
    std::vector<float> result(3 * fine.grid.points().voxels());
    refine(viewOf(points.data(), coarse.grid), coarse.refinement, coarse.image.factor,
           viewOf(result.data(), fine.grid));
    return result;
}

} // namespace

void throwNoOverlap() {
    throw ComputeError(
        "the images have no voxel in common that counts: they don't overlap in space, "
        "or a mask is empty there");
}

void throwNoGrids() {
    throw ComputeError("two frames of different sizes need their grids in space");
}

FfdResult runLevels(FfdProblem& problem, const FfdLevels& levels, const DescentOptions& options,
                    const ExecContext& ctx) {
    const std::vector<FfdLevel>& all = levels.levels;
    FfdResult result;
    result.points.assign(3 * all.back().grid.points().voxels(), 0.0f);
    for (std::size_t level = all.size(); level-- > 0;) {
        ctx.report("motion estimation",
                   1 - static_cast<double>(level + 1) / static_cast<double>(all.size()));
        ctx.throwIfCancelled();
        problem.beginLevel(level);
        problem.setPoints(0, result.points);
        const double unexplained = problem.weighPenalties(0);
        const DescentResult descent = minimize(problem, options);
        result.points = problem.points(descent.slot);
        const FfdProblem::Terms terms = problem.terms(descent.slot);
        MotionReport::Level& entry = result.report.levels.emplace_back();
        entry.size = all[level].image.size;
        entry.iterations = descent.iterations;
        entry.energy = descent.energy;
        entry.figures = {{"similarity", terms.similarity, ""},
                         {"penalty", terms.penalty, ""},
                         {"unexplained", unexplained, ""},
                         {"evaluations", static_cast<double>(descent.evaluations), ""}};
        if (level > 0)
            result.points = refined(result.points, all[level], all[level - 1]);
    }
    result.report.finish();
    return result;
}

} // namespace systole
