// Surroundings that aren't data and stand still: outside of a probe's sector, padding. Their edge
// is the strongest in the image and never moves, so that it would hold the tissue beside it. The
// reasons and the measurements behind the constants are in docs/numerics.md.
#pragma once

#include "compute/core/exec.h"
#include "compute/ops/pyramid.h"
#include "compute/ops/still_region_math.h"

#include <cstdint>

namespace systole {

/// Whether a region has the lowest value in both frames, with an edge that hasn't moved. Then
/// `counts` becomes 0 in it and next to it, where gradients reach into it, and 1 elsewhere;
/// otherwise it is left as it is. `kinds` is scratch. All of one size.
bool findStillRegion(VolumeView<const float> fixed, VolumeView<const float> moving,
                     VolumeView<std::uint8_t> kinds, VolumeView<std::uint8_t> counts,
                     const ExecContext& ctx);

/// The same for frames that have been decimated by `factor`.
void decimateStillRegion(VolumeView<const std::uint8_t> finer, std::array<int, 3> factor,
                         VolumeView<std::uint8_t> counts, const ExecContext& ctx);

/// A region's `counts` as a mask: 0 where they are 0, elsewhere `given`, or 1 if that is empty.
void countedMask(VolumeView<const std::uint8_t> counts, VolumeView<const float> given,
                 VolumeView<float> mask, const ExecContext& ctx);

/// Sets `inside` to 0 where `counts` is 0.
void leaveOut(VolumeView<const std::uint8_t> counts, VolumeView<float> inside,
              const ExecContext& ctx);

} // namespace systole
