// A surface denoised by non-local means from beginning to end: the grid that suits its noise
// (surface_noise.h, coarse_grid.h), rounds of nonlocal_means.h there with distances made anew
// between them, then mean_place.h. What the methods `nonlocal` and `semi-local` and the viewer do.
//
// Noise correlated over more than a voxel looks alike all over a patch: the patches most similar to
// one are those with the same error, and their mean keeps it. On a grid as coarse as the noise is
// wide it looks like that of independent voxels.
#pragma once

#include "compute/surface/nonlocal_means.h"

#include <string>

namespace systole {

/// Denoises phi, a signed distance in mm on the host, in place; far from the surface it may be off
/// by half a voxel afterwards. Without noise phi stays. With Backend::Cuda it goes to the device
/// and back. Profile and errors as denoiseSurface(), and stages "noise", "grid", "mean place".
DenoiseReport denoiseNonlocally(VolumeView<float> phi, Vec3 spacing,
                                const NonlocalMeansParameters& parameters, const ExecContext& ctx);

/// The same with phi in device memory, on the Compute stream; the noise is found on the host.
/// Defined in builds with CUDA (cudaIsBuilt).
DenoiseReport denoiseNonlocallyOnDevice(VolumeView<float> phi, Vec3 spacing,
                                        const NonlocalMeansParameters& parameters,
                                        const ExecContext& ctx);

/// What was found and chosen, for people: "noise of 0.73 voxel, 0.94 wide: patches compared on a
/// grid of 1.97 voxels".
std::string textOf(const DenoiseReport& report);

namespace nlm {

/// The next round reads the patches of its band, nothing beyond: mm.
double bandReadByRounds(const NonlocalMeansParameters& parameters, Vec3 spacing);

/// A report with the grid that the parameters name, or with the noise of phi, on the host, and its
/// grid.
DenoiseReport chooseGrid(VolumeView<const float> phi, Vec3 spacing,
                         const NonlocalMeansParameters& parameters, const ExecContext& ctx);

} // namespace nlm
} // namespace systole
