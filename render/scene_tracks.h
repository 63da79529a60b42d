// Points followed through the frames, as the scene shows them.
#pragma once

#include "compute/core/geometry.h"

#include <optional>
#include <vector>

namespace systole {

struct SceneTrackPoint {
    Vec3 position;                 ///< LPS mm
    double certainty = 1;          ///< 0 … 1
    std::optional<double> error{}; ///< distance from the true position, mm; empty: unknown
    bool carried = false;          ///< not found, but moved along with others
};

/// Never changed once it is passed to the scene.
struct SceneTracks {
    int reference = 0; ///< the frame that displacements are measured from
    /// One per point, each with one entry per frame; empty where the point was lost.
    std::vector<std::vector<std::optional<SceneTrackPoint>>> tracks;
    /// Frames in which the points were searched for, the reference among them; empty: all. In the
    /// others nothing is drawn, not even of lost points.
    std::vector<bool> searched{};
};

} // namespace systole
