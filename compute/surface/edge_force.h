// The force that pulls a level set to the steepest place of an edge.
#pragma once

#include "compute/surface/segment_grid.h"

namespace systole {

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
