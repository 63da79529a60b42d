// The levels of CLG's pyramid and what its input must hold: the same for every form.
#pragma once

#include "compute/core/motion_estimator.h"

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

/// Throws ComputeError for unequal sizes and an empty grey range. Values are looked at elsewhere.
void checkMotionInput(const MotionInput& input, FieldView<const float> displacement);
/// The sentence for a frame ("fixed", "moving") whose values are not all finite.
std::string notFiniteMessage(const char* frame);

} // namespace systole
