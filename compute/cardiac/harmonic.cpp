#include "compute/cardiac/harmonic.h"

#include "compute/core/error.h"
#include "compute/sparse/conjugate_gradients.h"

#include <array>

namespace systole::cardiac {
namespace {

/// The rows of −Δ without fixed faces: neighbors in the order of their places.
sparse::CsrMatrix<double> laplacian(const TissueVoxels& voxels,
                                    std::vector<std::int64_t>& diagonal) {
    const Vec3 h = voxels.grid.spacing();
    sparse::CsrMatrix<double> a;
    a.rows = a.columns = static_cast<std::int64_t>(voxels.count());
    for (std::size_t i = 0; i < voxels.count(); ++i) {
        const auto [x, y, z] = voxels.index[i];
        const std::array<std::pair<std::int32_t, double>, 6> around{
            {{voxels.place(x, y, z - 1), h.z}, // in the order of the grid
             {voxels.place(x, y - 1, z), h.y},
             {voxels.place(x - 1, y, z), h.x},
             {voxels.place(x + 1, y, z), h.x},
             {voxels.place(x, y + 1, z), h.y},
             {voxels.place(x, y, z + 1), h.z}}};
        double sum = 0;
        for (std::size_t k = 0; k < around.size(); ++k) {
            if (k == 3) {
                diagonal.push_back(static_cast<std::int64_t>(a.values.size()));
                a.columnOf.push_back(static_cast<std::int32_t>(i));
                a.values.push_back(0);
            }
            const auto [place, step] = around[k];
            if (place < 0)
                continue;
            a.columnOf.push_back(place);
            a.values.push_back(-1 / (step * step));
            sum += 1 / (step * step);
        }
        a.values[static_cast<std::size_t>(diagonal.back())] = sum;
        a.rowStart.push_back(static_cast<std::int64_t>(a.values.size()));
    }
    return a;
}

} // namespace

std::vector<double> solveLaplace(const TissueVoxels& voxels, std::span<const FixedFace> faces,
                                 ExecContext& ctx) {
    if (faces.empty())
        throw ComputeError("Laplace's equation needs a border with a value");
    const Vec3 h = voxels.grid.spacing();
    std::vector<std::int64_t> diagonal;
    sparse::CsrMatrix<double> a = laplacian(voxels, diagonal);
    std::vector<double> right(voxels.count(), 0.0), solution(voxels.count(), 0.0);
    for (const FixedFace& face : faces) {
        const auto i = static_cast<std::size_t>(face.place);
        const double flux = 1 / (h[face.axis] * h[face.axis] * face.part);
        a.values[static_cast<std::size_t>(diagonal[i])] += flux;
        right[i] += flux * face.value;
    }
    sparse::ConjugateGradientOptions options;
    options.tolerance = 1e-10;
    const sparse::ConjugateGradientReport report = sparse::solveByConjugateGradients(
        a, right, solution, sparse::jacobiPreconditioner(a), options, ctx);
    if (!report.converged)
        throw ComputeError("Laplace's equation in the wall didn't converge");
    return solution;
}

} // namespace systole::cardiac
