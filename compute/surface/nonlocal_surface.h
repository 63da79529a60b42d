// A surface denoised by non-local means from beginning to end: rounds of nonlocal_means.h with
// distances made anew between them, then mean_place.h. What the methods `nonlocal` and `semi-local`
// and the viewer do.
#pragma once

#include "compute/surface/nonlocal_means.h"

namespace systole {

/// Denoises phi, a signed distance in mm on the host, in place; far from the surface it may be off
/// by half a voxel afterwards. With Backend::Cuda it goes to the device and back. Profile and
/// errors as denoiseSurface(), and a stage "mean place".
DenoiseReport denoiseNonlocally(VolumeView<float> phi, Vec3 spacing,
                                const NonlocalMeansParameters& parameters, const ExecContext& ctx);

/// The same with phi in device memory, on the Compute stream. Defined in builds with CUDA
/// (cudaIsBuilt).
DenoiseReport denoiseNonlocallyOnDevice(VolumeView<float> phi, Vec3 spacing,
                                        const NonlocalMeansParameters& parameters,
                                        const ExecContext& ctx);

namespace nlm {

/// The next round reads the patches of its band, nothing beyond: mm.
double bandReadByRounds(const NonlocalMeansParameters& parameters, Vec3 spacing);

} // namespace nlm
} // namespace systole
