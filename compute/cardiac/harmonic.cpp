#include "compute/cardiac/harmonic.h"

#include "compute/core/error.h"
#include "compute/sparse/conjugate_gradients.h"
#include "compute/sparse/values.h"

#include <algorithm>
#include <array>

namespace systole::cardiac {
namespace {

/// −Δ without fixed faces. Its six kinds of neighbors have a weight each, so that a row needs their
/// places alone, a third of the bytes of a stored matrix.
class Laplacian {
public:
    explicit Laplacian(const TissueVoxels& voxels) {
        const Vec3 h = voxels.grid.spacing();
        weights_ = {1 / (h.z * h.z), 1 / (h.y * h.y), 1 / (h.x * h.x),
                    1 / (h.x * h.x), 1 / (h.y * h.y), 1 / (h.z * h.z)};
        for (const auto& [x, y, z] : voxels.index) {
            const Places around{voxels.place(x, y, z - 1), voxels.place(x, y - 1, z),
                                voxels.place(x - 1, y, z), voxels.place(x + 1, y, z),
                                voxels.place(x, y + 1, z), voxels.place(x, y, z + 1)};
            double sum = 0;
            for (std::size_t k = 0; k < around.size(); ++k)
                sum += around[k] < 0 ? 0 : weights_[k];
            around_.push_back(around);
            diagonal.push_back(sum);
        }
    }

    /// In the order of the grid, as the columns of a matrix.
    void multiply(std::span<const double> x, std::span<double> y, const ExecContext& ctx) const {
        sparse::forEach(around_.size(), ctx, [&](std::size_t i) {
            const Places& around = around_[i];
            const auto part = [&](std::size_t k) {
                const std::int32_t place = around[k];
                return (place < 0 ? 0 : weights_[k]) *
                       x[static_cast<std::size_t>(std::max(place, 0))];
            };
            y[i] =
                0 - part(0) - part(1) - part(2) + diagonal[i] * x[i] - part(3) - part(4) - part(5);
        });
    }

    std::vector<double> diagonal;

private:
    using Places = std::array<std::int32_t, 6>; ///< in the order of the grid; -1: none is there
    std::array<double, 6> weights_;
    std::vector<Places> around_;
};

} // namespace

std::vector<double> solveLaplace(const TissueVoxels& voxels, std::span<const FixedFace> faces,
                                 ExecContext& ctx) {
    if (faces.empty())
        throw ComputeError("Laplace's equation needs a border with a value");
    const Vec3 h = voxels.grid.spacing();
    Laplacian laplacian(voxels);
    std::vector<double> right(voxels.count(), 0.0), solution(voxels.count(), 0.0);
    for (const FixedFace& face : faces) {
        const auto i = static_cast<std::size_t>(face.place);
        const double flux = 1 / (h[face.axis] * h[face.axis] * face.part);
        laplacian.diagonal[i] += flux;
        right[i] += flux * face.value;
    }
    sparse::ConjugateGradientOptions options;
    options.tolerance = 1e-10;
    const sparse::ConjugateGradientReport report = sparse::solveByConjugateGradients(
        [&](std::span<const double> x, std::span<double> y) { laplacian.multiply(x, y, ctx); },
        right, solution, sparse::jacobiPreconditioner(laplacian.diagonal), options, ctx);
    if (!report.converged)
        throw ComputeError("Laplace's equation in the wall didn't converge");
    return solution;
}

} // namespace systole::cardiac
