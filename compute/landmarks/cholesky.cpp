#include "compute/landmarks/cholesky.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr Eigen::Index side = 128; // a tile's: three of them fit into a core's second cache

using Matrix = Eigen::Ref<Eigen::MatrixXd>;

Eigen::Block<Matrix> tileOf(Matrix& matrix, Eigen::Index row, Eigen::Index column) {
    const Eigen::Index n = matrix.rows();
    return matrix.block(row * side, column * side, std::min(side, n - row * side),
                        std::min(side, n - column * side));
}

} // namespace

double choleskyInPlace(Matrix matrix, const ExecContext& ctx) {
    const Eigen::Index tiles = (matrix.rows() + side - 1) / side;
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

} // namespace systole
