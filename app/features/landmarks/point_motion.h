// Motions as landmarks see them: where a point of the fixed frame lies in the moving one.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct PointMotion {
    /// LPS mm. Empty where the motion says nothing of the point: outside a field, or on no track,
    /// or on one that was lost.
    std::function<std::optional<Vec3>(Vec3)> move;
    std::string description; ///< "displacement field", "tracks, frame 0 to 5", ...
    /// Grid of the displacement field; none: the motion is no field.
    std::optional<Geometry> grid{};
    std::vector<std::string> notes{}; ///< notes on information that its file lacks
};

/// The frames of a sequence between which tracks are a motion; empty: their reference, and their
/// last other frame if they have only two.
struct TrackFrames {
    std::optional<int> fixed, moving;
};

/// Any transform that `systole register --transform` reads, from the fixed to the moving frame, or
/// tracks. `grid` is where control points of a spline are evaluated; null: unknown. Throws
/// FileError, UsageError.
PointMotion readPointMotion(const std::string& path, const TrackFrames& frames,
                            const Geometry* grid, const ExecContext& ctx);

} // namespace systole
