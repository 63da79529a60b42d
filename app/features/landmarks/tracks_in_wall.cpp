#include "app/features/landmarks/tracks_in_wall.h"

#include "compute/core/error.h"

#include <limits>

namespace systole {
namespace {

Vec3 alongAxes(const Geometry& grid, Vec3 position) {
    const Vec3 index = grid.physicalToIndex(position), spacing = grid.spacing();
    return {index.x * spacing.x, index.y * spacing.y, index.z * spacing.z};
}
Vec3 toPhysical(const Geometry& grid, Vec3 along) {
    const Vec3 spacing = grid.spacing();
    return grid.indexToPhysical({along.x / spacing.x, along.y / spacing.y, along.z / spacing.z});
}

std::vector<Vec3> pointsOf(const Geometry& grid, const TrackPositions& reference) {
    constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
    std::vector<Vec3> points;
    for (const auto& at : reference)
        points.push_back(at ? alongAxes(grid, at->position) : Vec3{nowhere, nowhere, nowhere});
    return points;
}

} // namespace

TrackPositions positionsIn(const LandmarkTracks& tracks, int frame) {
    TrackPositions positions;
    for (const LandmarkTracks::Track& track : tracks.tracks)
        positions.push_back(track.frames.at(static_cast<std::size_t>(frame)));
    return positions;
}

void setPositions(LandmarkTracks& tracks, int frame, const TrackPositions& positions) {
    for (std::size_t i = 0; i < positions.size(); ++i)
        tracks.tracks[i].frames.at(static_cast<std::size_t>(frame)) = positions[i];
}

TracksInWall::TracksInWall(VolumeView<const std::uint8_t> wall, const Geometry& grid,
                           const TrackPositions& reference,
                           const elasticity::WallTrackOptions& options)
    : grid_(grid)
    , points_(pointsOf(grid, reference))
    , wall_(wall, grid.spacing(), points_, options) {}

WallFrame TracksInWall::carry(TrackPositions& positions, ExecContext& ctx) {
    std::vector<Vec3> displacements(points_.size());
    std::vector<double> weights(points_.size(), 0);
    for (std::size_t i = 0; i < points_.size(); ++i)
        if (wall_.holds(i) && positions[i]) {
            displacements[i] = alongAxes(grid_, positions[i]->position) - points_[i];
            weights[i] = positions[i]->certainty;
        }
    WallFrame frame;
    try {
        frame.report = wall_.carry(displacements, weights, ctx);
    } catch (const Cancelled&) {
        throw;
    } catch (const ComputeError& error) {
        frame.failure = error.what();
        return frame;
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
        if (!wall_.holds(i))
            continue;
        const Vec3 now = toPhysical(grid_, points_[i] + displacements[i]);
        auto& position = positions[i];
        if (position && position->certainty > 0)
            frame.meanChange += length(now - position->position) / frame.report.springs;
        position = TrackedPosition{now, position ? position->certainty : 0};
    }
    return frame;
}

} // namespace systole
