// The levels of a resolution pyramid: the same for every implementation.
#pragma once

#include "compute/core/geometry.h"

#include <array>
#include <vector>

namespace systole {

/// The grey range that frames are brought to: 0 to this.
inline constexpr float clgGreyRange = 255;

struct ClgLevel {
    Size3 size;
    Vec3 spacing;
    std::array<int, 3> factor{1, 1, 1}; ///< from the next finer level

    /// s_min / s_axis: turns a difference along an axis into one per smallest voxel.
    std::array<float, 3> scale() const;
};

/// Finest first, `most` at most. An axis is halved unless its spacing exceeds 1.5 times the
/// smallest or it is short; where none is halved the pyramid ends.
std::vector<ClgLevel> clgLevels(Size3 size, Vec3 spacing, int most);

} // namespace systole
