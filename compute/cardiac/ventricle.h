// The geometry of a left ventricle: its wall, and the three directions of the heart in each of the
// wall's voxels.
#pragma once

#include "compute/cardiac/placement.h"
#include "compute/cardiac/tissue.h"
#include "compute/core/exec.h"

#include <vector>

namespace systole::cardiac {

/// Unit vectors in LPS at right angles. circumferential = longitudinal × radial: clockwise seen
/// from the apex.
struct HeartAxes {
    Vec3 longitudinal;    ///< unit vector towards the base
    Vec3 circumferential; ///< unit vector around the long axis
    Vec3 radial;          ///< outwards
};

/// Shares of the cavity, and of cavity and wall, around each voxel, mirrored at the base so that
/// they don't end there. Smoothed by aG − (a − 1) G∗G with a = 2 + √2, G a Gaussian: its mean of
/// |x| is 0, so that the level 1/2 of a curved surface, which G alone moves by σ²/2 times the
/// curvature, stays in place. 1/2 is the surface, between the voxels' centers, too.
struct Borders {
    Geometry grid;
    std::vector<float> cavity, heart;

    double cavityAt(Vec3 index) const; ///< trilinear; positions beyond the grid as on its border
    double heartAt(Vec3 index) const;
};

struct Ventricle {
    Placement placement;
    TissueVoxels wall, cavity; ///< the largest piece of each
    Borders borders;
    /// Harmonic depth of each voxel of the wall: 0 endocardium, 1 epicardium.
    std::vector<double> depth;
    std::vector<double> along; ///< 0 apex, 1 base, harmonic
    std::vector<HeartAxes> axes;
    /// Volume of all voxels of the map that are cavity: more than `cavity` where the labels are cut
    /// at the apex, or in several pieces.
    double labelledCavityMilliliters = 0;

    const LongAxis& axis() const { return placement.axis; }
};

/// Solves Laplace's equation in the wall twice (harmonic.h): across it, 0 on the endocardium and 1
/// on the epicardium with no flux through the cut of the base, and along it, 0 at the wall's voxels
/// on the long axis below the cavity, or on the cut at the apex, and 1 on the cut of the base. The
/// radial axis is the gradient of the first; the longitudinal one that of the second, made
/// orthogonal to it; the third is their product. (As Bayer et al., Annals of Biomedical Engineering
/// 40 (2012), define a heart's axes.) A note says where the image's edge cuts the wall. Throws
/// ComputeError with one sentence: a wall or cavity that is missing or too small, axes of the grid
/// that aren't at right angles, and what placementOf() refuses; and Cancelled.
Ventricle ventricleOf(const TissueMap& map, const GivenPoints& given, ExecContext& ctx);

} // namespace systole::cardiac
