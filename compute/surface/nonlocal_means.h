// Non-local means denoising of a surface that is the zero level of a signed distance phi: Yang et
// al., section 2.3; spec nlm-surface-denoising.md.
//
// The patches around all elements of a narrow band are compared with one another,
//     D(x, y) = ‖phi[x] − phi[y]‖²,   w = exp(−|x−y|²/c1) exp(−D/c2)                     (eq. 15),
// and each element keeps the m with the smallest D, of equal ones those first in the band. It is
// one of them itself, as the sums of eqs. 15 and 16 go over the whole band. Then
//     phi_j ← phi_j + dt Σ_l w_jl (phi_l − phi_j),   dt = 1 / max_j Σ_l w_jl               (eq. 16)
// is iterated over the band with these weights. Elsewhere phi stays.
//
// phi is in millimeters, negative inside, finite, valid up to the band and a patch's radius beyond.
// Patches are of voxels, whatever the spacing; at the border of the volume they repeat its voxels.
// The "mean voxel side" is the cube root of a voxel's volume.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/params.h"
#include "compute/core/volume.h"
#include "compute/cuda/kernel_family.h"
#include "compute/surface/surface_noise.h"

#include <functional>
#include <span>
#include <string>

namespace systole {

struct NonlocalMeansParameters {
    double delta = 3;    ///< half the band's width, mean voxel sides
    int patchRadius = 2; ///< voxels; 1 or 2
    int neighbors = 96;  ///< m: elements kept for each, itself among them; at most 96
    double c1 = 60;      ///< mean voxel sides, squared
    double c2 = 0.7;     ///< relative to the mean D of kept elements
    int iterations = 4;  ///< iterations of eq. 16
    int window = 0;      ///< voxels along each axis in which an element's are sought; 0: everywhere
    int rounds = 1;      ///< how often band, neighbors and iterations are done
    /// Spacing of the grid on which nonlocal_surface.h compares, sides of the smallest voxel; 0: by
    /// the noise found.
    double grid = 0;
    std::string search = "pruned"; ///< variant of nlmSearchFamily, for CUDA

    static NonlocalMeansParameters from(const ParamSet& values);
};

/// Rows as above; presets `default` (the whole band) and `live` (a window, smaller patches).
const ParamTable& nonlocalMeansTable();

/// Called between rounds with phi where it lies, host or device, to make it a signed distance
/// again.
using Redistance = std::function<void(VolumeView<float> phi)>;

struct DenoiseReport {
    int elements = 0;         ///< elements of the last round's band
    double meanDistance = 0;  ///< D of kept elements, mm², mean over the last round
    double largestChange = 0; ///< largest change of an element's phi in the last round, mm
    int passes = 1;     ///< passes of the last round's search: more than 1 where memory was short
    SurfaceNoise noise; ///< found by nonlocal_surface.h; not looked for if a grid is given
    double grid = 1;    ///< spacing chosen by nonlocal_surface.h; 0: no noise, phi is as it was

    /// Takes over all but noise and grid.
    void setRounds(const DenoiseReport& rounds) {
        const SurfaceNoise found = noise;
        const double chosen = grid;
        *this = rounds;
        noise = found;
        grid = chosen;
    }
};

/// Denoises phi in place. Backend::CpuReference is the plain loop; with Backend::Cuda phi, on the
/// host, goes to the device and back. spacing: mm. The profile gets stages "band", "search" and
/// "iterate". Throws ComputeError as narrowBand() does.
DenoiseReport denoiseSurface(VolumeView<float> phi, Vec3 spacing,
                             const NonlocalMeansParameters& parameters, const ExecContext& ctx,
                             const Redistance& redistance = {});

/// denoiseSurface() for phi in device memory, on the Compute stream; done when it returns. Defined
/// in builds with CUDA (cudaIsBuilt).
DenoiseReport denoiseSurfaceOnDevice(VolumeView<float> phi, Vec3 spacing,
                                     const NonlocalMeansParameters& parameters,
                                     const ExecContext& ctx, const Redistance& redistance = {});

/// The kept elements of each element, in the order of D: entry k of element j is at j · m + k, an
/// index into the band. What a window left empty has the element itself and an infinite D.
struct NeighborView {
    int* element = nullptr;
    float* distance = nullptr;
    int m = 0; ///< entries per element, at most maxNeighbors and at most the band's length
};

/// Only the search, on the host: `out` has room for band.size() · m entries. Backend::CpuReference
/// is the plain loop. Patch radius and window are the parameters' only use.
void findNeighbors(VolumeView<const float> phi, std::span<const int> band,
                   const NonlocalMeansParameters& parameters, NeighborView out,
                   const ExecContext& ctx);

/// findNeighbors() for arrays in device memory, by a variant of nlmSearchFamily, in as many passes
/// as the pool's memory requires. Returns the number of passes. Defined in builds with CUDA.
int findNeighborsOnDevice(VolumeView<const float> phi, std::span<const int> band,
                          const NonlocalMeansParameters& parameters, NeighborView out,
                          const ExecContext& ctx);

/// How the kernel of the search finds the patches to compare with, and which it compares. All keep
/// the same elements.
inline constexpr KernelVariant nlmSearchVariants[] = {
    {"global",
     "An element per thread against all others, read from global memory; L1 large.",
     64,
     {32, 128}},
    {"global-small-l1", "As global, most of L1 given to shared memory.", 64, {32, 128}},
    {"texture", "As global, read by texture fetches.", 64, {32, 128}},
    {"constant", "As global, 128 at a time from constant memory.", 64, {32, 128}},
    {"tile", "Leaves of 32 elements against all leaves, in shared memory.", 256, {256, 256}},
    {"gemm",
     "As tile, bounds of distances by matrix units; those below are found exactly.",
     256,
     {256, 256}},
    {"pruned",
     "As tile, without leaves and elements whose features lie too far apart.",
     256,
     {256, 256}},
    {"pruned-gemm", "Both: pruned by features, then by matrix units.", 256, {256, 256}},
};
inline constexpr KernelFamily nlmSearchFamily{
    "nlm", nlmSearchVariants, "search", "pruned",
    "How the CUDA kernel of non-local means finds similar patches."};

namespace nlm {

inline constexpr int maxNeighbors = 96;
/// Patches that a pass of the first four variants compares with: what constant memory holds.
inline constexpr int passPatches = 128;

/// m: as many neighbors as asked for, or the whole band if it has fewer.
int keptNeighbors(const NonlocalMeansParameters& parameters, std::size_t elements);
double meanVoxelSide(Vec3 spacing);

} // namespace nlm
} // namespace systole
