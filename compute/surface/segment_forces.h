// The forces that pull a level set: to where gray values change from those inside to those outside,
// and to the steepest place of an edge.
#pragma once

#include "compute/surface/segment_grid.h"

namespace systole {

/// Statistics of the gray values on both sides of a surface, and what they say of each voxel.
struct RegionForce {
    double windowMillimeters = 9;  ///< standard deviation of the window of local statistics
    double gapMillimeters = 1.5;   ///< voxels nearer to the surface are of neither side
    double insideMillimeters = 12; ///< voxels so near to the surface count as inside
    double outsideMillimeters = 7; ///< voxels so near to the surface count as outside
    /// outsideMillimeters in thick slices, where the trabeculae count as chamber and the tissue
    /// beyond them is thin.
    double outsideInSlices = 4.5;
};

/// How far from the mean inside to the mean outside the border lies. Blood that is darker than its
/// wall is that of an echo: SegmentGrid::echoBorder(). In a stack of thick slices, which is cine
/// MR, experts draw it around the trabeculae, where the gray values have nearly become those of the
/// compact wall.
inline constexpr double borderBrightInside = 0.62, borderBrightInSlices = 0.9;

/// `force` becomes, within `width` mm of phi's zero level,
///     clamp(2 (gray - m) / (in - out), -1, 1) * min(1, |in - out| / noise),
///     m = in + border (out - in),
/// where `in` and `out` are the local means inside and outside and `noise` their common standard
/// deviation (Lankton and Tannenbaum, Localizing Region-Based Active Contours, 2008): positive
/// where a voxel is like the inside. 0 elsewhere, and without data. phi on the grid's geometry.
/// Local statistics of few voxels fall back to those of all.
void regionForce(const SegmentGrid& grid, VolumeView<const float> phi, const RegionForce& window,
                 double width, VolumeView<float> force, const ExecContext& ctx);

/// Standard deviation of the Gaussian at whose scale edges are seen, mm, and the force's weight
/// beside that of the regions.
inline constexpr double edgeScale = 2, edgeWeight = 0.25;

/// The gray values smoothed by edgeScale.
Volume smoothedForEdges(const SegmentGrid& grid, const ExecContext& ctx);

/// The mean from 1.5 to 7 mm outside of phi's zero level less that from 1.5 to 12 mm inside;
/// negative for bright blood. 0 if a side has no voxels.
double contrastAcross(const SegmentGrid& grid, VolumeView<const float> phi);

/// Adds to `force`, within `width` mm of the zero level and where it isn't 0 (no data),
///     edgeWeight * clamp(4 edgeScale^2 G_nn / contrast, -1, 1),   G_nn = n^T H(G) n,
/// with the Hessian H of the smoothed gray values G and n = grad phi / |grad phi|. It changes its
/// sign where G changes fastest along n and draws the surface there from both sides (Kimmel and
/// Bruckstein, Regularized Laplacian Zero Crossings as Optimal Edge Integrators, 2003). Nothing is
/// added for a positive contrast: on an echo's logarithmic scale the steepest place lies inside of
/// the border. All on the geometry of `smooth`.
void addEdgeForce(const Volume& smooth, VolumeView<const float> phi, double contrast, double width,
                  VolumeView<float> force, const ExecContext& ctx);

} // namespace systole
