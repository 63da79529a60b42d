// Marks in the views: a point with its name, a line between two of them, or a circle around the
// voxels that a brush would paint.
#pragma once

#include "compute/core/geometry.h"
#include "render/base/colormaps.h"

#include <optional>
#include <string>

namespace systole {

struct SceneMark {
    Vec3 position; ///< LPS mm
    /// mm; a slice shows the circle in which it cuts a ball of this radius. 0: a point, seen from
    /// every slice, faint where it lies in another one.
    double radius = 0;
    /// Axis of a circle: only slices across this LPS axis show it; -1: all.
    int axis = -1;
    std::optional<Vec3> to{}; ///< LPS mm: a line from `position`, whose ends are points
    std::string text{};       ///< text next to a point, or to the middle of a line
    Color color{1, 1, 1};
    bool operator==(const SceneMark&) const = default;
};

} // namespace systole
