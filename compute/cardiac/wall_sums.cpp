#include "compute/cardiac/wall_sums.h"

#include "compute/cardiac/rotation.h"
#include "compute/core/points.h"

namespace systole::cardiac {
namespace {

struct ChunkSums {
    double sums[wallSums]{};
    std::array<int, jacobianBins> histogram{};
};

VoxelState stateOf(const FrameChange& change, std::size_t voxel, Vec3 still, Vec3 shift) {
    const VoxelChange& of = change.voxels[voxel];
    const Vec3 place = still + widened(change.wall[voxel]) - shift;
    return {of.jacobian,
            {of.stretch.longitudinal, of.stretch.circumferential, of.stretch.radial},
            {place.x, place.y, place.z}};
}

} // namespace

WallSums wallSumsOf(const WallSumming& how, const FrameChange& diastole, const FrameChange& now,
                    const ExecContext& ctx) {
    const TissueVoxels& wall = how.fits.ventricle().wall;
    const BandSums first = how.levels.shift(diastole), shift = how.levels.shift(now);
    const Vec3 apex = how.levels.towardsApex();
    const double about[3] = {apex.x, apex.y, apex.z};
    const GroupedVoxels& voxels = how.bySegment;
    std::vector<ChunkSums> chunks(voxels.chunks.size());
    parallelFor(ctx, static_cast<int>(chunks.size()), 1, [&](int at, int) {
        const GroupedVoxels::Chunk& chunk = voxels.chunks[static_cast<std::size_t>(at)];
        ChunkSums& to = chunks[static_cast<std::size_t>(at)];
        const std::size_t level = how.levels.levelOf(static_cast<std::size_t>(chunk.group));
        for (std::int32_t k = chunk.begin; k < chunk.end; ++k) {
            const auto i = static_cast<std::size_t>(voxels.voxel[static_cast<std::size_t>(k)]);
            const Vec3 still = wall.position(i) - how.levels.middle(level);
            const VoxelState before = stateOf(diastole, i, still, first[level]),
                             after = stateOf(now, i, still, shift[level]);
            addVoxel(before, after, about, how.tensor, to.sums);
            ++to.histogram[static_cast<std::size_t>(jacobianBin(jacobianSince(before, after)))];
        }
    });
    WallSums all{std::vector<SegmentSums>(static_cast<std::size_t>(how.segments)), {}};
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        SegmentSums& to = all.segments[static_cast<std::size_t>(voxels.chunks[c].group)];
        for (std::size_t k = 0; k < to.size(); ++k)
            to[k] += chunks[c].sums[k];
        for (std::size_t bin = 0; bin < all.histogram.size(); ++bin)
            all.histogram[bin] += chunks[c].histogram[bin];
    }
    return all;
}

} // namespace systole::cardiac
