// The part of a frame that a segmentation works on: cubes around the seeds, and which of them the
// scanner has seen.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstdint>
#include <vector>

namespace systole {

/// A box in index coordinates of an image, voxels.
struct IndexBox {
    Vec3 low, high;
};

/// The gray values of an echo are the logarithm of the echo's power: from the smallest to the
/// largest so many dB, a usual dynamic range.
inline constexpr double echoDecibels = 60;

/// Properties of a stored frame that are decided once, for every grid of it and of a copy of it
/// with longer lengths.
struct StoredFrame {
    float range[2];  ///< gray values that become 0 and 1: the 1st and 99th percentile
    int thickAxis;   ///< axis across slices that are much thicker than their pixels; -1: none
    double decibels; ///< dB from one end of `range` to the other, if the image is an echo
    double enlargement = 1; ///< the lengths searched over those stored
    double milliliters(double searched) const {
        return searched / (enlargement * enlargement * enlargement);
    }
};

/// The range is from the smallest to the largest value if the percentiles coincide. Throws
/// ComputeError for a constant frame.
StoredFrame storedFrame(const Volume& frame);

struct SegmentGrid {
    Volume gray; ///< 0 to 1 from the 1st to the 99th percentile, cut at -0.5, 1.5
    std::vector<std::uint8_t> known; ///< 0 where the image has no data: flat and darkest, from edge
    double decibels = echoDecibels;  ///< as in StoredFrame
    bool isEnlarged = false;         ///< a heart smaller than a grown one
    int thickAxis = -1;              ///< as in StoredFrame

    const Geometry& geometry() const { return gray.geometry; }
    bool hasThickSlices() const { return thickAxis >= 0; }
    double spacing() const { return gray.geometry.spacing().x; }
    /// Whether the image has data in the cube nearest to an LPS position.
    bool isKnown(Vec3 lps) const;
    /// How far from dark blood to a wall that is brighter by `contrast` the border of an echo lies:
    /// where the mean power is midway, which is up to 3 dB below the wall. On the logarithmic scale
    /// the blurred wall seems to reach into the chamber, the more the greater the contrast.
    double echoBorder(double contrast) const;
};

/// The box around a point, cut to the image; half its side in mm.
IndexBox boxAround(const Geometry& image, Vec3 lps, double halfSide);

/// The box around the inside of a signed distance with the image's directions, cut to the image;
/// margin in mm.
IndexBox boxOfInside(const Volume& phi, const Geometry& image, double margin);

/// Cubes of `spacing` mm with the image's directions that fill the box, at least two a side.
/// Trilinear, smoothed by half a cube.
SegmentGrid segmentGrid(const Volume& frame, const IndexBox& box, double spacing,
                        const StoredFrame& stored, const ExecContext& ctx);

/// Adds the gray value at an LPS position, if that lies in the grid.
void addGray(const SegmentGrid& grid, Vec3 lps, std::vector<double>& values);

/// The value of a volume at an LPS position, trilinear, clamped at the border.
float sampledAt(const Volume& volume, Vec3 lps);
/// Whether an LPS position lies in the grid, half a voxel beyond its outer centers included.
bool isInside(const Geometry& grid, Vec3 lps);

/// Resamples a signed distance to another grid of the same directions; beyond the source's box the
/// distance to the box is added.
Volume resampleDistance(const Volume& distance, const Geometry& grid, const ExecContext& ctx);

} // namespace systole
