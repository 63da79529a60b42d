// Gray values on a grid whose surface isn't too large to be made and drawn beside the beating
// heart.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstddef>
#include <memory>
#include <string>

namespace systole {

/// Points of a surface in the viewer: a smooth one in 256³ voxels has fewer, but a threshold in
/// speckle passes between most neighbors, and its millions of triangles are drawn in every view.
inline constexpr std::size_t maxSurfacePoints = 150000;

struct FittedSource {
    std::shared_ptr<const Volume> volume;
    std::string note; ///< says that it is coarser, one sentence; empty: it is the frame itself
};

/// The frame, or its means over cells of 2, 4, ... voxels along each axis: the finest whose surface
/// at the threshold has at most so many points. Throws Cancelled.
FittedSource fittedSource(std::shared_ptr<const Volume> frame, float threshold,
                          const ExecContext& ctx, std::size_t maxPoints = maxSurfacePoints);

/// Lines between neighboring voxels of which one is above the threshold: points of the isosurface,
/// but for its lids.
std::size_t crossedLines(VolumeView<const float> values, float threshold, const ExecContext& ctx);

} // namespace systole
