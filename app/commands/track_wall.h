// Tracks in an elastic wall, for --elastic-wall of `systole landmarks track`.
#pragma once

#include "app/landmarks/tracks_in_wall.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

struct TrackWallJob {
    std::string labels; ///< a label map of the reference frame; empty: no wall
    std::optional<int> label{};
    elasticity::WallTrackOptions options{};
};

struct TrackWallOutcome {
    struct Frame {
        int frame = 0;
        WallFrame wall;
    };
    int label = 0;
    int points = 0; ///< in the wall
    std::vector<Frame> frames;
};

/// In every frame but the reference the points in the wall move with it. Throws as
/// readTissueLabels() and TracksInWall do, and Cancelled.
TrackWallOutcome carryTracks(const TrackWallJob& job, const Geometry& geometry,
                             LandmarkTracks& tracks, ExecContext ctx);

} // namespace systole
