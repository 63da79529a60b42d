#include "compute/cardiac/frame_change.h"

#include "compute/cardiac/aha.h"
#include "compute/cardiac/frame_sums.h"
#include "compute/core/affine_map.h"
#include "compute/core/points.h"

#include <algorithm>
#include <array>

namespace systole::cardiac {
namespace {

constexpr int wallChunk = 256; ///< voxels; each is on its own

/// nᵀCn = |F n|².
double squaredStretch(const Matrix3& deformation, Vec3 direction) {
    const Vec3 moved = deformation * direction;
    return dot(moved, moved);
}

VoxelChange changeOf(const Matrix3& deformation, const HeartAxes& axes) {
    return {{squaredStretch(deformation, axes.longitudinal),
             squaredStretch(deformation, axes.circumferential),
             squaredStretch(deformation, axes.radial)},
            determinant(deformation)};
}

/// Where the labels are cut at the apex there is no cap.
std::vector<int> bandsOf(const Ventricle& ventricle) {
    std::vector<int> band;
    for (std::size_t i = 0; i < ventricle.wall.count(); ++i) {
        const double share = ventricle.axis().share(ventricle.wall.position(i));
        band.push_back(static_cast<int>(
            levelOf(ventricle.placement.apicalCut ? std::max(share, 0.0) : share)));
    }
    return band;
}

} // namespace

VentricleFits::VentricleFits(const Ventricle& ventricle, int order, const ExecContext& ctx)
    : ventricle_(ventricle)
    , shell_(shellOf(ventricle, order, ctx))
    , wall_(ventricle.wall, order, ctx)
    , cavity_(ventricle.cavity, order, ctx)
    , band_(bandsOf(ventricle))
    , byBand_(GroupedVoxels::of(band_, static_cast<int>(bands))) {}

CarriedShell VentricleFits::carriedBy(const Displacements& wall, const ExecContext& ctx) const {
    std::vector<float> moved(9 * shell_.lines.size());
    parallelFor(ctx, static_cast<int>(shell_.lines.size()), 32, [&](int begin, int end) {
        float* to = moved.data() + 9 * static_cast<std::ptrdiff_t>(begin);
        for (int i = begin; i < end; ++i)
            for (const FitWeights& point : shell_.lines[static_cast<std::size_t>(i)].weights)
                to = std::ranges::copy(narrowed(displacementAt(point, wall)), to).out;
    });
    return CarriedShell(shell_, moved);
}

FrameChange VentricleFits::shellAndBands(const Displacements& wall, const ExecContext& ctx) const {
    FrameChange change{carriedBy(wall, ctx), 0, {}, {}, {}, {}};
    for (std::size_t i = 0; i < wall.size(); ++i) {
        Vec3& sum = change.moved[static_cast<std::size_t>(band_[i])];
        sum = sum + widened(wall[i]);
    }
    return change;
}

FrameChange VentricleFits::change(Displacements wall, const Displacements& cavity,
                                  const ExecContext& ctx) const {
    FrameChange change = shellAndBands(wall, ctx);
    change.wall = std::move(wall);
    change.voxels.resize(change.wall.size());
    parallelFor(ctx, static_cast<int>(change.wall.size()), wallChunk, [&](int begin, int end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            change.voxels[i] = changeOf(wall_.deformation(i, change.wall), ventricle_.axes[i]);
    });
    change.cavityMilliliters =
        ventricle_.cavity.voxelMilliliters() *
        parallelSum(ctx, static_cast<int>(cavity.size()), cavityChunk, [&](int begin, int end) {
            double sum = 0;
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
                sum += determinant(cavity_.deformation(i, cavity));
            return sum;
        });
    return change;
}

std::vector<FrameChange> VentricleFits::carried(std::span<const Displacements> wall,
                                                std::span<const Displacements> cavity,
                                                const ExecContext& ctx) const {
    std::vector<FrameChange> made;
    for (const Displacements& each : wall) {
        ctx.throwIfCancelled();
        made.push_back(shellAndBands(each, ctx));
    }
    const std::vector<double> sums = determinantSums(ventricle_.cavity, cavity_, cavity, ctx);
    for (std::size_t t = 0; t < made.size(); ++t)
        made[t].cavityMilliliters = ventricle_.cavity.voxelMilliliters() * sums[t];
    return made;
}

} // namespace systole::cardiac
