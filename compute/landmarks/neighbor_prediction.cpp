#include "compute/landmarks/neighbor_prediction.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>

namespace systole {
namespace {

constexpr int fewestNeighbors = 5; // more than an affine map takes up
constexpr int pointsPerChunk = 16;
/// Standard deviation of the affine map's parts over the neighborhood's radius, in √ of it: large
/// enough to follow any, small enough for double precision.
constexpr double affineVariance = 1e3;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, predictingNeighbors,
                             predictingNeighbors>;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 4, 0, predictingNeighbors, 4>;

/// The neighbors of one point, around it.
struct Neighborhood {
    int count = 0;
    Vec3 offsets[predictingNeighbors], displacements[predictingNeighbors];
    double noise[predictingNeighbors];
};

NeighborPrediction predict(const Neighborhood& near) {
    if (near.count < fewestNeighbors)
        return {};
    double radius = 0;
    for (int j = 0; j < near.count; ++j)
        radius = std::max(radius, length(near.offsets[j]));
    if (!(radius > 0))
        return {};
    const double constant = affineVariance * radius, slope = affineVariance / radius;
    Matrix c(near.count, near.count);
    Columns right(near.count, 4); // displacements, and the covariance with the point itself
    for (int k = 0; k < near.count; ++k) {
        const Vec3 p = near.offsets[k], d = near.displacements[k];
        for (int j = k; j < near.count; ++j)
            c(j, k) = constant + slope * dot(near.offsets[j], p) - length(near.offsets[j] - p);
        c(k, k) += near.noise[k];
        right.row(k) << d.x, d.y, d.z, constant - length(p);
    }
    const Eigen::LLT<Matrix> cholesky(c);
    if (cholesky.info() != Eigen::Success)
        return {};
    cholesky.matrixL().solveInPlace(right);
    const Eigen::RowVector4d product = right.col(3).transpose() * right;
    return {{product(0), product(1), product(2)}, std::max(0.0, constant - product(3)), true};
}

} // namespace

void predictFromNeighbors(std::span<const Vec3> points, std::span<const Vec3> displacements,
                          std::span<const double> weights, double kappa, const NeighborTable& table,
                          std::span<NeighborPrediction> predictions, const ExecContext& ctx) {
    parallelFor(ctx, static_cast<int>(points.size()), pointsPerChunk, [&](int begin, int end) {
        ctx.throwIfCancelled();
        Neighborhood near;
        for (int i = begin; i < end; ++i) {
            const auto self = static_cast<std::size_t>(i);
            near.count = 0;
            for (const int index : table.of(i)) {
                const auto j = static_cast<std::size_t>(index);
                if (!(weights[j] > 0))
                    continue;
                near.offsets[near.count] = points[j] - points[self];
                near.displacements[near.count] = displacements[j];
                near.noise[near.count] = kappa / weights[j];
                if (++near.count == predictingNeighbors)
                    break;
            }
            predictions[self] = predict(near);
        }
    });
}

} // namespace systole
