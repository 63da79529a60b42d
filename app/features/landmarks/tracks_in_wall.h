// Tracks whose points in a wall move with it: elasticity::WallTracks for patient space.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"
#include "compute/core/volume.h"
#include "compute/elasticity/wall_tracks.h"
#include "compute/landmarks/landmark_set.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Positions of all tracks in one frame, in their order, LPS mm; empty: the point was lost.
using TrackPositions = std::vector<std::optional<TrackedPosition>>;

TrackPositions positionsIn(const LandmarkTracks& tracks, int frame);
void setPositions(LandmarkTracks& tracks, int frame, const TrackPositions& positions);

/// Motion of the wall in a frame.
struct WallFrame {
    elasticity::WallTrackReport report{};
    double meanChange = 0; ///< mm, of the points that were tracked
    std::string failure{}; ///< why the positions stayed as they were; empty: they didn't
};

class TracksInWall {
public:
    /// `wall` isn't 0 in the wall, on the grid of the images, in the frame of `reference`. A point
    /// without a position there isn't in the wall. Throws as elasticity::WallTracks does.
    TracksInWall(VolumeView<const std::uint8_t> wall, const Geometry& grid,
                 const TrackPositions& reference, const elasticity::WallTrackOptions& options);

    int points() const { return wall_.held(); } ///< number of points in the wall

    /// Moves the wall to the frame. Tracked points pull it by their certainty; all points in the
    /// wall get the wall's position, lost ones with a certainty of 0. Throws Cancelled; same bits
    /// for any number of threads.
    WallFrame carry(TrackPositions& positions, ExecContext& ctx);

private:
    Geometry grid_;
    std::vector<Vec3> points_; ///< mm along the axes of the grid
    elasticity::WallTracks wall_;
};

} // namespace systole
