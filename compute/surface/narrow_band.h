// The narrow band around a zero level: Σδ = {x : |phi(x)| ≤ δ} (Yang et al., eq. 14), as the
// offsets of its voxels in the volume, ascending.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// The band of a volume on the host. phi and delta have the same unit. Throws ComputeError for a
/// value of phi that isn't finite, for a volume of more voxels than an int counts, and for an empty
/// band.
Buffer<int> narrowBand(VolumeView<const float> phi, float delta, const ExecContext& ctx);

/// The band of a volume in device memory, as a list in device memory that equals narrowBand()'s;
/// waits once for its length.
/// Defined in builds with CUDA (cudaIsBuilt).
Buffer<int> narrowBandOnDevice(VolumeView<const float> phi, float delta, const ExecContext& ctx);

/// Throws ComputeError for a volume whose offsets don't fit an int.
void checkBandSize(Size3 size);
[[noreturn]] void refuseEmptyBand(float delta);
[[noreturn]] void refuseNotFinite(Size3 size, std::size_t offset);

} // namespace systole
