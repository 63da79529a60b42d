// Tracks in an elastic wall, for --elastic-wall of `systole landmarks track`.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/elasticity/wall_tracks.h"
#include "compute/landmarks/landmark_set.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

struct TrackWallJob {
    std::string labels; ///< a label map of the reference frame; empty: no wall
    std::optional<int> label{};
    elasticity::WallTrackOptions options{.length = 0.3};
};

struct TrackWallFrame {
    int frame = 0;
    elasticity::WallTrackReport report;
    double meanChange = 0; ///< mm, of the points that were tracked
    std::string failure;   ///< why the tracks of the frame stayed as they were; empty: they didn't
};

struct TrackWallOutcome {
    int label = 0;
    int points = 0; ///< in the wall
    std::vector<TrackWallFrame> frames;
};

/// In every frame but the reference the points in the wall move with it: what was tracked pulls by
/// its certainty, and what was lost gets the wall's position, with a certainty of 0. Throws as
/// readTissueLabels() and elasticity::WallTracks do, and Cancelled.
TrackWallOutcome carryTracks(const TrackWallJob& job, const Geometry& geometry,
                             LandmarkTracks& tracks, ExecContext ctx);

} // namespace systole
