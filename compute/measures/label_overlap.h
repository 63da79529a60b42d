// How well the labels of two images agree, after one of them was moved.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstdint>
#include <vector>

namespace systole {

/// A structure as a mask: 1 inside, 0 outside, on the grid of `geometry`.
struct LabelMask {
    Geometry geometry;
    std::vector<std::uint8_t> inside;
};

/// The voxels of `labels` whose value rounds to `value`.
LabelMask maskOf(const Volume& labels, int value);

/// Pulls the moving mask back to the fixed grid: trilinear, inside where at least one half.
LabelMask warpMask(const LabelMask& moving, FieldView<const float> field, const ExecContext& ctx);

/// 2 |A ∩ B| / (|A| + |B|); NaN if both are empty.
double dice(const LabelMask& a, const LabelMask& b);

/// Mean symmetric surface distance in mm: the mean distance from the surface of A to the nearest
/// point of that of B, averaged with the reverse. A surface voxel has at least one of its six
/// neighbors outside the mask or the grid; distances are between centers. NaN if one is empty.
double surfaceDistance(const LabelMask& a, const LabelMask& b);

/// One label in both maps.
struct LabelOverlap {
    int label = 0;
    std::size_t fixedVoxels = 0, movedVoxels = 0;
    double dice = 0;
    double surfaceMillimeters = 0; ///< as surfaceDistance(); NaN if a map lacks the label
};

/// Every label but 0 of either map, ascending. Both maps on the host and on `geometry`; values
/// round to their labels.
std::vector<LabelOverlap> labelOverlaps(const Geometry& geometry, VolumeView<const float> fixed,
                                        VolumeView<const float> moved, const ExecContext& ctx);

} // namespace systole
