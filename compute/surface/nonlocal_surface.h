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

struct MeanPlaceParameters; // mean_place.h

/// Denoises phi, a signed distance in mm on the host, in place; far from the surface it may be off
/// by half a voxel afterwards. Without noise phi stays. With Backend::Cuda it goes to the device
/// and back. Profile and errors as denoiseSurface(), and stages "noise", "grid", "mean place".
DenoiseReport denoiseNonlocally(VolumeView<float> phi, Vec3 spacing,
                                const NonlocalMeansParameters& parameters, const ExecContext& ctx);

/// denoiseNonlocally() for phi in device memory, on the Compute stream; the noise is found on the
/// host.
/// Defined in builds with CUDA (cudaIsBuilt).
DenoiseReport denoiseNonlocallyOnDevice(VolumeView<float> phi, Vec3 spacing,
                                        const NonlocalMeansParameters& parameters,
                                        const ExecContext& ctx);

/// A sentence on the noise found and the grid chosen: "noise of 0.73 voxel, 0.94 wide: patches
/// compared on a grid of 1.97 voxels".
std::string textOf(const DenoiseReport& report);

namespace nlm {

/// The steps on one grid: those of the host, or those for views in device memory.
struct GridSteps {
    DenoiseReport (*denoise)(VolumeView<float>, Vec3, const NonlocalMeansParameters&,
                             const ExecContext&, const Redistance&);
    void (*redistance)(VolumeView<float>, Vec3, float, const ExecContext&);
    void (*keepMeanPlace)(VolumeView<const float>, VolumeView<float>, Vec3,
                          const MeanPlaceParameters&, const ExecContext&);
};

/// Denoises `smooth`; its place on average becomes that of `asItIs`.
void denoiseOnGrid(const GridSteps& steps, VolumeView<float> smooth, VolumeView<const float> asItIs,
                   Vec3 spacing, const NonlocalMeansParameters& parameters, DenoiseReport& report,
                   const ExecContext& ctx);

/// A report with the grid that the parameters name, or with the noise of phi, on the host, and its
/// grid.
DenoiseReport chooseGrid(VolumeView<const float> phi, Vec3 spacing,
                         const NonlocalMeansParameters& parameters, const ExecContext& ctx);

} // namespace nlm
} // namespace systole
