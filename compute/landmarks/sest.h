// Landmark tracking by spatially extended structure tensors, SEST (Wu et al. 2019, section 5.2).
//
// A voxel's feature vector is V = [I, Ixx, Iyy, Izz, Ixy, Ixz, Iyz]: the gray value and its second
// differences, voxels beyond the border repeating those at it. A place is described by the patch of
// 11×11×9 voxels around it, cut into eight octants; each octant's tensor Σ V Vᵀ, made positive
// definite by a small ridge, is decomposed into U Uᵀ, and the lower triangles of the eight U, 28
// numbers each, are its descriptor: 224 numbers. The smaller the Euclidean distance of two
// descriptors, the more alike two places are.
//
// The patch has odd sides. It is cut without overlap: the lower half of an axis has the offsets
// before the center (5, 5, 4 of them), the upper half the center and those after it (6, 6, 5).
// Octant 0 is the lower half of all axes; bit 0 of its number is the upper half in x, bit 1 in y,
// bit 2 in z.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/core/voxel.h"

#include <span>

namespace systole::sest {

inline constexpr int features = 7;
inline constexpr int triangle = features * (features + 1) / 2; ///< 28
inline constexpr int octants = 8;
inline constexpr int numbers = octants * triangle; ///< numbers per descriptor: 224
inline constexpr Size3 patchRadius{5, 5, 4};       ///< patch of 11×11×9 voxels
inline constexpr Size3 searchRadius{12, 6, 8};     ///< region of 25×13×17 places
inline constexpr Size3 searchSize{25, 13, 17};
inline constexpr int candidates = 25 * 13 * 17;

/// The features of a frame, planar: feature f of voxel i at data[f · voxels + i].
struct FeatureView {
    const float* data;
    Size3 size;
};

/// Writes 7 · voxels values.
void findFeatures(VolumeView<const float> frame, float* planes, const ExecContext& ctx);

/// Sets descriptors[224 · l + n] to number n of landmark l. Throws ComputeError for a landmark
/// outside the frame.
void describe(const FeatureView& frame, std::span<const Voxel> landmarks, float* descriptors,
              const ExecContext& ctx);

/// Sets distances[5525 · l + c] to the distance of landmark l's descriptor from that of candidate c
/// of the 25×13×17 places around centers[l] in the target, x fastest; infinity for one outside it.
/// There are as many descriptors as centers, which may lie anywhere.
void findDistances(const FeatureView& target, std::span<const Voxel> centers,
                   const float* descriptors, float* distances, const ExecContext& ctx);

/// The offset of candidate c from the center of its region.
constexpr Voxel candidateOffset(int c) {
    return {c % searchSize.x - searchRadius.x, c / searchSize.x % searchSize.y - searchRadius.y,
            c / (searchSize.x * searchSize.y) - searchRadius.z};
}

/// findFeatures() with all arrays on the device, on its compute stream; waits where ctx has a
/// profile. Defined in builds with CUDA (cudaIsBuilt).
void findFeaturesOnDevice(VolumeView<const float> frame, float* planes, const ExecContext& ctx);

} // namespace systole::sest
