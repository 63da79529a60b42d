// Landmarks of the open sequence: the choice, and what was found. Plain data.
#pragma once

#include "app/features/landmarks/landmark_parameters.h"
#include "app/features/landmarks/tracks_in_wall.h"
#include "compute/landmarks/landmark_set.h"
#include "compute/landmarks/target_error.h"
#include "render/scene_tracks.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

inline constexpr std::size_t certaintyBins = 10;

/// The set without points, of frame 0.
inline std::shared_ptr<const LandmarkSet> noLandmarks() {
    static const auto none = std::make_shared<const LandmarkSet>(LandmarkSet{0, {}});
    return none;
}

/// The points of one frame in figures.
struct LandmarkFrame {
    /// Number of points by fate; all but tracked 0 if `fatesKnown` is false.
    std::array<int, trackFates> counts{};
    bool fatesKnown = true;       ///< false: tracks of a file, which doesn't say why
    std::vector<TrackFate> fates; ///< fate of each point; empty: unknown
    int tracked = 0, lost = 0;
    /// Points placed by an elastic wall, with a certainty of 0: neither tracked nor lost.
    int carried = 0;
    double meanCertainty = 0; ///< tracked points, 0 to 1
    /// Number of points by equal intervals of certainty, 0 to 1.
    std::array<float, certaintyBins> certainty{};
    /// Distances of tracked and carried points from their places in the reference frame.
    double medianMillimeters = 0, largestMillimeters = 0;
    std::optional<ErrorFigures> error; ///< distances from the expert's points, mm; none: unknown
    double seconds = 0;                ///< time that tracking took
    std::optional<WallFrame> wall;     ///< none: it hasn't moved the points of this frame
};

/// State of the elastic wall that the points move with.
struct WallStatus {
    int label = 0, points = 0; ///< points in it
    int finished = 0;          ///< frames
    bool running = false;      ///< a frame is under way
    std::string waiting;       ///< missing input; empty: none
    std::string failure;       ///< why there is none, one sentence; empty: there is
};

/// The wall with the user's choice; parameters say which it is.
struct LandmarkWall : WallStatus {
    std::string file; ///< label map, for the origin "file"; chosen by the user
};

struct LandmarkState {
    ParamSet parameters{landmarkTable()}; ///< chosen by the user; changes are followed at once

    // --- state
    /// Points of frame `points->frame`, never null; empty: none, or the tracks are a file's.
    /// Another set is followed from the start.
    std::shared_ptr<const LandmarkSet> points = noLandmarks();
    bool detected = false; ///< the points were found by us, and not edited since
    std::string step;      ///< names the last change of the points
    int selected = -1;     ///< index of a track; −1: none
    /// Place to which the pointer has dragged the selected point, LPS mm.
    std::optional<Vec3> dragged;
    LandmarkTracks found;         ///< tracks before any wall; no positions in frames still to come
    LandmarkTracks tracks;        ///< tracks shown: `found`, or `found` moved with the elastic wall
    std::uint64_t generation = 0; ///< counts how often `found` has begun anew
    std::shared_ptr<const LandmarkTracks> expert; ///< null: none
    std::string expertFile;
    /// The expert's tracks that ours are compared with, one each, maybe null; empty: none.
    std::vector<const LandmarkTracks::Track*> matched;
    std::vector<std::optional<LandmarkFrame>> frames; ///< none: not searched yet, or the reference
    std::shared_ptr<const SceneTracks> scene;         ///< null: nothing to show

    int finished = 0, total = 0; ///< frames
    double seconds = 0;          ///< time of the last detection
    std::string failure;         ///< one sentence; empty: none
    std::string note;            ///< hint for the user; empty: none

    LandmarkWall wall;
};

} // namespace systole
