// SEST descriptors and distances with work shared (compute/landmarks/sest.h has the definitions and
// the paper's form, in which every candidate of every landmark is made on its own).
//
// The places of all regions are visited row by row. A row's sums of V Vᵀ over the octants come from
// separable sums over z, y and x, which neighboring places share; each place is decomposed once and
// compared with every landmark whose region it belongs to. What a place's descriptor is depends on
// nothing but the frame: there are no running sums, and no order of work changes a bit. In single
// precision it lies within 2⁻¹⁷ of its length of the paper's form.
#pragma once

#include "compute/core/exec.h"
#include "compute/cuda/kernel_family.h"
#include "compute/landmarks/padded_frame.h"
#include "compute/landmarks/sest.h"

#include <span>

namespace systole::sest {

/// Half-widths of the patch and of the region searched, in voxels.
struct Window {
    Size3 patch = patchRadius;
    Size3 search = searchRadius;
    constexpr Size3 searchSize() const {
        return {2 * search.x + 1, 2 * search.y + 1, 2 * search.z + 1};
    }
    constexpr std::size_t candidates() const { return searchSize().voxels(); }
};
inline constexpr int greatestPatchRadius = 15;

/// Sets descriptors[224 · p + n] to number n of place p, which lies in the frame.
void describePlaces(const PaddedFrame& frame, Size3 patch, std::span<const Voxel> places,
                    float* descriptors, const ExecContext& ctx);

/// Sets squared[window.candidates() · l + c] to the squared distance of landmark l's descriptor
/// from that of candidate c of the region around centers[l], x fastest; infinity outside the frame.
void findSquaredDistances(const PaddedFrame& target, const Window& window,
                          std::span<const Voxel> centers, const float* descriptors, float* squared,
                          const ExecContext& ctx);

/// The kernel that makes descriptors and distances; compute/lab/kernels/sest.h has others to
/// compare it with.
inline constexpr KernelVariant columnSums{
    "column-sums", "Neighbors share the sums of their columns, in shared memory.", 160, {32, 512}};
inline constexpr KernelFamily searchFamily{"sest", {&columnSums, 1}};

// Overloads with all arrays on the device, frames as their features (findFeaturesOnDevice()), on
// its compute stream; they wait where ctx has a profile. Places aren't checked. They are defined in
// builds with CUDA (cudaIsBuilt). A block makes the descriptors of some rows of one landmark's
// region: neighboring places share their columns' sums, landmarks share nothing. Equal frames have
// a distance of exactly 0.
void describePlacesOnDevice(const FeatureView& frame, Size3 patch, const Voxel* places, int count,
                            float* descriptors, const ExecContext& ctx);
void findSquaredDistancesOnDevice(const FeatureView& target, const Window& window,
                                  const Voxel* centers, int count, const float* descriptors,
                                  float* squared, const ExecContext& ctx);

} // namespace systole::sest
