// Points followed through a whole sequence, for `systole landmarks track`.
#pragma once

#include "app/commands/track_wall.h"
#include "app/estimation/backend.h"
#include "compute/core/sequence.h"
#include "compute/landmarks/landmark_set.h"
#include "compute/landmarks/tracker.h"

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
    BackendChoice backend; ///< for the record
    TrackWallJob wall{};
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
    std::optional<TrackWallOutcome> wall{};
};

/// Throws UsageError for a reference that the sequence doesn't have and for points outside its
/// grid, naming the first, and what reading and tracking throw.
TrackOutcome runTracks(const TrackJob& job, const ExecContext& ctx);

/// The record of a run as JSON text.
std::string trackRecord(const TrackJob& job, const TrackOutcome& outcome,
                        const std::vector<std::string>& files, const std::string& points,
                        const std::string& output, int threads);

} // namespace systole
