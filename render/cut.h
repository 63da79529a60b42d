// The part of the volume that the 3D view shows: cut open at the crosshair and cropped from its
// sides.
#pragma once

#include "render/display_options.h"
#include "render/view_plane.h"

#include <optional>

namespace systole {

/// The part of the volume's box, LPS mm, that the display's cut and crop leave; none: all of it. At
/// least a fiftieth of each side is left.
std::optional<PhysicalBox> keptBox(const DisplayOptions& display, const PhysicalBox& whole,
                                   Vec3 crosshair, Vec3 towardsObserver);

} // namespace systole
