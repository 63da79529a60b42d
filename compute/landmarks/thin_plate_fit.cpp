// The dense solve of a thin-plate spline.
#include "compute/core/error.h"
#include "compute/landmarks/cholesky.h"
#include "compute/landmarks/thin_plate.h"
#include "compute/landmarks/thin_plate_equations.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

void checkRelaxation(std::span<const double> relaxation, std::size_t landmarks) {
    if (relaxation.size() != landmarks)
        throw ComputeError("a thin-plate spline needs one relaxation per landmark");
    if (!std::all_of(relaxation.begin(), relaxation.end(),
                     [](double kappa) { return std::isfinite(kappa) && kappa >= 0; }))
        throw ComputeError("the relaxation of a thin-plate spline must be finite and at least 0");
}

} // namespace

ThinPlateSpline fitThinPlate(std::span<const Vec3> from, std::span<const Vec3> to,
                             std::span<const double> relaxation, const ExecContext& ctx) {
    checkRelaxation(relaxation, from.size());
    const ThinPlateEquations equations(from, to);
    Eigen::MatrixXd gamma = -equations.project(equations.displacements());
    if (equations.free() > 0) {
        PooledMatrix memory(equations.free(), "thin-plate equations", ctx);
        auto matrix = memory.map();
        equations.reduce(relaxation, matrix, ctx);
        // Landmarks at one place leave a pivot of rounding errors.
        if (!(choleskyInPlace(matrix, ctx) > 1e-12 * equations.extent()))
            throw ComputeError("two landmarks of a thin-plate spline lie at one place");
        const auto lower = matrix.triangularView<Eigen::Lower>();
        lower.solveInPlace(gamma);
        lower.transpose().solveInPlace(gamma);
    }
    return equations.spline(equations.expand(gamma), relaxation, ctx);
}

ThinPlateSpline fitThinPlate(std::span<const Vec3> from, std::span<const Vec3> to, double kappa) {
    const std::vector<double> relaxation(from.size(), kappa);
    checkRelaxation(relaxation, from.size());
    if (ThinPlateEquations(from, to).directions() < 3)
        throw ComputeError("the landmarks of a thin-plate spline must not lie in one plane");
    ExecResources resources(1);
    return fitThinPlate(from, to, relaxation, resources.context());
}

} // namespace systole
