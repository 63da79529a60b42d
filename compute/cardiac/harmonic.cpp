#include "compute/cardiac/harmonic.h"

#include "compute/core/error.h"
#include "compute/sparse/conjugate_gradients.h"
#include "compute/sparse/values.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

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

    /// Product with the matrix, summed in the order of the grid, as a matrix stored by columns
    /// does.
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

    /// Matrix of unknowns that are equal within each group.
    Eigen::SparseMatrix<double> ofGroups(const std::vector<std::int32_t>& groupOf,
                                         Eigen::Index groups) const {
        std::vector<Eigen::Triplet<double>> entries;
        for (std::size_t i = 0; i < around_.size(); ++i) {
            entries.emplace_back(groupOf[i], groupOf[i], diagonal[i]);
            for (std::size_t k = 0; k < weights_.size(); ++k)
                if (const std::int32_t place = around_[i][k]; place >= 0)
                    entries.emplace_back(groupOf[i], groupOf[static_cast<std::size_t>(place)],
                                         -weights_[k]);
        }
        Eigen::SparseMatrix<double> matrix(groups, groups);
        matrix.setFromTriplets(entries.begin(), entries.end());
        return matrix;
    }

    std::vector<double> diagonal;

private:
    /// Neighbors in the order of the grid; -1: none is there.
    using Places = std::array<std::int32_t, 6>;
    std::array<double, 6> weights_;
    std::vector<Places> around_;
};

/// Division by the diagonal, and what blocks of voxels have in common, solved exactly: without it
/// a value at one border takes as many iterations to the other as there are voxels between.
/// z = D⁻¹r + P (PᵀAP)⁻¹ Pᵀr, P constant on each block (Nicolaides, SIAM Journal on Numerical
/// Analysis 24 (1987)).
class BlockPreconditioner {
public:
    BlockPreconditioner(const TissueVoxels& voxels, const Laplacian& laplacian)
        : byDiagonal_(sparse::jacobiPreconditioner(laplacian.diagonal)) {
        const Vec3 h = voxels.grid.spacing();
        std::array<int, 3> side{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            side[axis] =
                std::max(1, static_cast<int>(std::lround(blockSide * std::min({h.x, h.y, h.z}) /
                                                         h[static_cast<int>(axis)])));
        std::map<std::array<int, 3>, std::int32_t> known;
        for (std::size_t i = 0; i < voxels.count(); ++i) {
            std::array<int, 3> block = voxels.index[i];
            for (std::size_t axis = 0; axis < 3; ++axis)
                block[axis] /= side[axis];
            const auto next = static_cast<std::int32_t>(members_.size());
            const auto [found, isNew] = known.try_emplace(block, next);
            if (isNew)
                members_.emplace_back();
            members_[static_cast<std::size_t>(found->second)].push_back(i);
            blockOf_.push_back(found->second);
        }
        blocks_.compute(laplacian.ofGroups(blockOf_, std::ssize(members_)));
        if (blocks_.info() != Eigen::Success)
            throw ComputeError("Laplace's equation in the wall has no solution on its blocks");
    }

    void apply(std::span<const double> r, std::span<double> z, const ExecContext& ctx) const {
        Eigen::VectorXd sums(std::ssize(members_));
        parallelFor(ctx, static_cast<int>(members_.size()), blocksPerChunk,
                    [&](int begin, int end) {
                        for (int block = begin; block < end; ++block) {
                            double sum = 0;
                            for (const std::size_t i : members_[static_cast<std::size_t>(block)])
                                sum += r[i];
                            sums[block] = sum;
                        }
                    });
        const Eigen::VectorXd solved = blocks_.solve(sums);
        byDiagonal_(r, z);
        sparse::forEach(r.size(), ctx, [&](std::size_t i) { z[i] += solved[blockOf_[i]]; });
    }

private:
    static constexpr double blockSide = 8; ///< length in smallest spacings
    static constexpr int blocksPerChunk = 64;
    sparse::Preconditioner byDiagonal_;
    std::vector<std::int32_t> blockOf_;
    std::vector<std::vector<std::size_t>> members_;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> blocks_;
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
    const BlockPreconditioner preconditioner(voxels, laplacian);
    const sparse::ConjugateGradientReport report = sparse::solveByConjugateGradients(
        [&](std::span<const double> x, std::span<double> y) { laplacian.multiply(x, y, ctx); },
        right, solution,
        [&](std::span<const double> r, std::span<double> z) { preconditioner.apply(r, z, ctx); },
        options, ctx);
    if (!report.converged)
        throw ComputeError("Laplace's equation in the wall didn't converge");
    return solution;
}

} // namespace systole::cardiac
