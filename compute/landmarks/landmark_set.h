// Anatomical points in patient space: millimeters, LPS, whatever grid they were found on.
#pragma once

#include "compute/core/volume.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

struct Landmark {
    std::string name; ///< may be empty
    Vec3 position;    ///< mm, LPS
};

/// Points of one frame.
struct LandmarkSet {
    int frame = -1; ///< -1: not said
    std::vector<Landmark> points;
};

/// Where a point was found in one frame.
struct TrackedPosition {
    Vec3 position;       ///< mm, LPS
    double certainty{1}; ///< 0 … 1
    bool operator==(const TrackedPosition&) const = default;
};

/// Points followed through a sequence.
struct LandmarkTracks {
    struct Track {
        std::string name;
        std::vector<std::optional<TrackedPosition>> frames; ///< empty where it was lost
        bool operator==(const Track&) const = default;
    };
    int reference = 0; ///< the frame in which the points were chosen
    std::vector<Track> tracks;
    bool operator==(const LandmarkTracks&) const = default;
};

} // namespace systole
