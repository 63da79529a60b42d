// The dense solve of a thin-plate spline.
#include "compute/core/error.h"
#include "compute/core/exec.h"
#include "compute/cuda/context.h"
#include "compute/landmarks/thin_plate.h"
#include "compute/landmarks/thin_plate_equations.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr Eigen::Index tileSide = 128; // three tiles fit into a core's second cache

using Matrix = Eigen::Ref<Eigen::MatrixXd>;

Eigen::Block<Matrix> tileOf(Matrix& matrix, Eigen::Index row, Eigen::Index column) {
    const Eigen::Index n = matrix.rows();
    return matrix.block(row * tileSide, column * tileSide, std::min(tileSide, n - row * tileSide),
                        std::min(tileSide, n - column * tileSide));
}

/// Overwrites the lower triangle of the symmetric matrix, of which only it is read, with L,
/// A = L Lᵀ, tile by tile, so that all threads take part: Eigen's own decomposition runs on one.
/// What lies above is undefined. Returns the smallest pivot L_ii², or 0 where the matrix isn't
/// positive definite. Same bits for any number of threads.
double choleskyInPlace(Matrix matrix, const ExecContext& ctx) {
    const Eigen::Index tiles = (matrix.rows() + tileSide - 1) / tileSide;
    double smallest = std::numeric_limits<double>::infinity();
    for (Eigen::Index k = 0; k < tiles; ++k) {
        ctx.throwIfCancelled();
        auto pivot = tileOf(matrix, k, k);
        Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> inPlace(pivot);
        if (inPlace.info() != Eigen::Success)
            return 0;
        smallest = std::min(smallest, pivot.diagonal().array().square().minCoeff());
        const auto below = static_cast<int>(tiles - k - 1);
        parallelFor(ctx, below, 1, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                auto tile = tileOf(matrix, k + 1 + i, k);
                pivot.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(
                    tile);
            }
        });
        std::vector<std::pair<Eigen::Index, Eigen::Index>> rest;
        for (Eigen::Index j = k + 1; j < tiles; ++j)
            for (Eigen::Index i = j; i < tiles; ++i)
                rest.emplace_back(i, j);
        parallelFor(ctx, static_cast<int>(rest.size()), 1, [&](int begin, int end) {
            for (int t = begin; t < end; ++t) {
                const auto [i, j] = rest[static_cast<std::size_t>(t)];
                tileOf(matrix, i, j).noalias() -=
                    tileOf(matrix, i, k) * tileOf(matrix, j, k).transpose();
            }
        });
    }
    return smallest;
}

void checkRelaxation(std::span<const double> relaxation, std::size_t landmarks) {
    if (relaxation.size() != landmarks)
        throw ComputeError("a thin-plate spline needs one relaxation per landmark");
    if (!std::all_of(relaxation.begin(), relaxation.end(),
                     [](double kappa) { return std::isfinite(kappa) && kappa >= 0; }))
        throw ComputeError("the relaxation of a thin-plate spline must be finite and at least 0");
}

/// Fraction of the landmarks' extent: landmarks at one place leave a pivot of rounding errors.
constexpr double minPivot = 1e-12;
constexpr const char* atOnePlace = "two landmarks of a thin-plate spline lie at one place";

bool solvesOnDevice(ThinPlateSolve where, std::size_t landmarks, const ExecContext& ctx) {
    if (where == ThinPlateSolve::Host)
        return false;
    std::string reason = "the context has no device";
    const bool possible = cudaIsBuilt && ctx.backend == Backend::Cuda && ctx.cuda &&
                          ctx.cuda->denseSolver(&reason) != nullptr;
    if (where == ThinPlateSolve::Device && !possible)
        throw ComputeError("a thin-plate spline can't be solved on the device: " + reason);
    return possible &&
           (where == ThinPlateSolve::Device || landmarks >= std::size_t{landmarksForDevice});
}

} // namespace

ThinPlateSpline fitThinPlate(std::span<const Vec3> from, std::span<const Vec3> to,
                             std::span<const double> relaxation, const ExecContext& ctx) {
    return fitThinPlate(from, to, relaxation, ThinPlateSolve::Automatic, ctx);
}

ThinPlateSpline fitThinPlate(std::span<const Vec3> from, std::span<const Vec3> to,
                             std::span<const double> relaxation, ThinPlateSolve where,
                             const ExecContext& ctx) {
    checkRelaxation(relaxation, from.size());
    const ThinPlateEquations equations(from, to);
    const bool onDevice = equations.free() > 0 && solvesOnDevice(where, from.size(), ctx);
    Eigen::MatrixXd gamma = -equations.project(equations.displacements());
    if (onDevice) {
        if (!(equations.solveOnDevice(relaxation, gamma, ctx) > minPivot * equations.extent()))
            throw ComputeError(atOnePlace);
    } else if (equations.free() > 0) {
        PooledMatrix memory(equations.free(), "thin-plate equations", ctx);
        auto matrix = memory.map();
        equations.reduce(relaxation, matrix, ctx);
        if (!(choleskyInPlace(matrix, ctx) > minPivot * equations.extent()))
            throw ComputeError(atOnePlace);
        const auto lower = matrix.triangularView<Eigen::Lower>();
        lower.solveInPlace(gamma);
        lower.transpose().solveInPlace(gamma);
    }
    return equations.spline(equations.expand(gamma), relaxation, ctx, onDevice);
}

ThinPlateSpline fitThinPlate(std::span<const Vec3> from, std::span<const Vec3> to, double kappa) {
    const std::vector<double> relaxation(from.size(), kappa);
    checkRelaxation(relaxation, from.size());
    if (ThinPlateEquations(from, to).directions() < 3)
        throw ComputeError("the landmarks of a thin-plate spline must not lie in one plane");
    ExecResources resources(1);
    return fitThinPlate(from, to, relaxation, resources.context());
}

Vec3 ThinPlateSpline::at(Vec3 p) const {
    Vec3 value;
    for (std::size_t c = 0; c < 3; ++c) {
        const std::array<double, 4>& r = affine[c];
        value[static_cast<int>(c)] = r[0] + r[1] * p.x + r[2] * p.y + r[3] * p.z;
    }
    for (std::size_t j = 0; j < landmarks.size(); ++j)
        value = value + length(landmarks[j] - p) * weights[j];
    return value;
}

} // namespace systole
