// Points followed through a whole sequence, for `systole landmarks track`.
#pragma once

#include "app/landmarks/landmark_run.h"
#include "app/landmarks/wall_run.h"
#include "compute/core/sequence.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct TrackJob {
    Sequence sequence;
    LandmarkSet points; ///< of frame `reference`
    TrackerSettings settings;
    int reference = 0;
    std::optional<WallSource> wall{}; ///< in the reference frame
    elasticity::WallTrackOptions wallOptions{};
};

struct TrackedFrame {
    int frame = 0;
    std::array<int, trackFates> counts{}; ///< points by fate
    double medianMillimeters = 0,
           largestMillimeters = 0; ///< of tracked points, since the reference
    double meanCertainty = 0;
    double seconds = 0; ///< of tracking, without reading
};

struct TrackOutcome {
    LandmarkTracks tracks;
    std::vector<TrackedFrame> frames; ///< without the reference, in the order of time
    std::vector<WallOutcome> wall{};  ///< in the same order; empty: there is none
};

/// Throws UsageError for a reference that the sequence doesn't have and for points outside its
/// grid, naming the first, and what reading and the tasks throw.
TrackOutcome runTracks(const TrackJob& job, const ExecContext& ctx);

/// What the record says of the frames and the wall.
nlohmann::ordered_json framesOf(const TrackOutcome& outcome);
nlohmann::ordered_json wallOf(const TrackJob& job, const TrackOutcome& outcome);
nlohmann::ordered_json sizeOf(Size3 size);

} // namespace systole
