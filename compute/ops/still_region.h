// Surroundings that aren't data and stand still: outside of a probe's sector, padding. Their edge
// is the strongest in the image and never moves, so that it would hold the tissue beside it:
// frames are extended beyond it before any filter sees it. See docs/numerics/masks.md.
#pragma once

#include "compute/core/exec.h"
#include "compute/ops/still_region_math.h"

#include <array>
#include <cstdint>

namespace systole {

/// Whether a region has the lowest value in both frames, with an edge that hasn't moved. `kinds`
/// becomes what each voxel is in the frames. All of one size.
bool findStillRegion(VolumeView<const float> fixed, VolumeView<const float> moving,
                     VolumeView<std::uint8_t> kinds, const ExecContext& ctx);

/// `counts` becomes 0 in the region and 1 elsewhere, for frames decimated by `factor`.
void markStillRegion(VolumeView<const std::uint8_t> kinds, std::array<int, 3> factor,
                     VolumeView<std::uint8_t> counts, const ExecContext& ctx);

/// Extends both frames into the region (fillUnknown), so that it has no edge. `scratch`: at least
/// three floats per voxel.
void extendIntoStillRegion(VolumeView<const std::uint8_t> kinds, VolumeView<float> fixed,
                           VolumeView<float> moving, float* scratch, const ExecContext& ctx);

/// `counts` becomes 0 in the region and next to it, where gradients reach into it, and 1 elsewhere:
/// for methods that don't extend the frames.
void markBesideStillRegion(VolumeView<const std::uint8_t> kinds, VolumeView<std::uint8_t> counts,
                           const ExecContext& ctx);

/// A region's `counts` as a mask: 0 where they are 0, elsewhere `given`, or 1 if that is empty.
void countedMask(VolumeView<const std::uint8_t> counts, VolumeView<const float> given,
                 VolumeView<float> mask, const ExecContext& ctx);

/// Sets `inside` to 0 where `counts` is 0.
void leaveOut(VolumeView<const std::uint8_t> counts, VolumeView<float> inside,
              const ExecContext& ctx);

} // namespace systole
