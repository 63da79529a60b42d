#include "compute/cardiac/strain.h"

#include "compute/core/affine_map.h"
#include "compute/core/error.h"
#include "compute/core/points.h"

#include <fmt/format.h>

namespace systole::cardiac {
namespace {

constexpr int chunk = 256; ///< voxels

/// nᵀCn = |F n|².
double squaredStretch(const Matrix3& deformation, Vec3 direction) {
    const Vec3 moved = deformation * direction;
    return dot(moved, moved);
}

/// Calls at(voxel, weights of its derivatives) for every voxel, in parallel.
template <class At>
void overFits(const TissueVoxels& voxels, int order, const ExecContext& ctx, const At& at) {
    const LocalFit fit(voxels, order);
    parallelFor(ctx, static_cast<int>(voxels.count()), chunk, [&](int begin, int end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            at(i, fit.at(voxels.indexPoint(i)));
    });
}

} // namespace

Displacements displacementsIn(const TissueVoxels& voxels, const MillimeterField& field) {
    if (!field.geometry.matches(voxels.grid, 1e-3)) {
        const Size3 of = field.geometry.size(), labels = voxels.grid.size();
        throw ComputeError(fmt::format("the field lies on another grid ({}×{}×{}) than the labels "
                                       "({}×{}×{}) or elsewhere",
                                       of.x, of.y, of.z, labels.x, labels.y, labels.z));
    }
    Displacements found(voxels.count());
    const Size3 size = voxels.grid.size();
    const VolumeView<const float> x(field.vectors.data(), size); // for its offsets alone
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto [a, b, c] = voxels.index[i];
        const float* const u = field.vectors.data() + 3 * x.offset(a, b, c);
        found[i] = {u[0], u[1], u[2]};
        if (!isFinite(widened(found[i])))
            throw ComputeError(fmt::format("the field isn't finite at voxel ({}, {}, {}), which is "
                                           "in the heart",
                                           a, b, c));
    }
    return found;
}

std::vector<std::vector<VoxelChange>> changesOf(const Ventricle& ventricle,
                                                std::span<const Displacements> frames, int order,
                                                const ExecContext& ctx) {
    std::vector<std::vector<VoxelChange>> changes(frames.size(),
                                                  std::vector<VoxelChange>(ventricle.wall.count()));
    overFits(ventricle.wall, order, ctx, [&](std::size_t i, const FitWeights& weights) {
        const HeartAxes& axes = ventricle.axes[i];
        for (std::size_t frame = 0; frame < frames.size(); ++frame) {
            const Matrix3 f = applied(weights, frames[frame]).deformation;
            changes[frame][i] = {{squaredStretch(f, axes.longitudinal),
                                  squaredStretch(f, axes.circumferential),
                                  squaredStretch(f, axes.radial)},
                                 determinant(f)};
        }
    });
    return changes;
}

std::vector<double> carriedMilliliters(const TissueVoxels& voxels,
                                       std::span<const Displacements> frames, int order,
                                       const ExecContext& ctx) {
    std::vector<std::vector<double>> jacobians(frames.size(), std::vector<double>(voxels.count()));
    overFits(voxels, order, ctx, [&](std::size_t i, const FitWeights& weights) {
        for (std::size_t frame = 0; frame < frames.size(); ++frame)
            jacobians[frame][i] = determinant(applied(weights, frames[frame]).deformation);
    });
    std::vector<double> volumes;
    for (const std::vector<double>& of : jacobians) {
        double sum = 0;
        for (const double jacobian : of)
            sum += jacobian;
        volumes.push_back(sum * voxels.voxelMilliliters());
    }
    return volumes;
}

} // namespace systole::cardiac
