// The motion inside a wall from the motion of its surface: where an image shows nothing between the
// two borders of a wall, its elasticity says how the inside follows.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/elasticity/hexahedron.h"

#include <cstdint>

namespace systole::elasticity {

struct ElasticWallOptions {
    ElasticMaterial material;
    /// mm over which the wall may smooth the surface's motion: nodes of the surface are held by
    /// springs as stiff as so long a column of the wall. 0: they are held where they are.
    double surfaceLength = 1;
    double tolerance = 1e-6; ///< largest relative residual
    bool multigrid = true;   ///< false: conjugate gradients with Jacobi alone
};

struct ElasticWallReport {
    std::int64_t nodes = 0, unknowns = 0, entries = 0;
    int levels = 0; ///< levels of the multigrid hierarchy
    int iterations = 0;
    double assemblySeconds = 0, setUpSeconds = 0, productSeconds = 0, solveSeconds = 0;
    double meanChange = 0, largestChange = 0; ///< mm, over the wall's voxels
};

/// Replaces the displacement (voxels) where `wall` isn't 0, of the same size: nodes of the wall's
/// surface follow the mean displacement of the voxels around them, the others the wall's
/// elasticity. On the host; the index axes are taken to be at right angles. Throws ComputeError if
/// sizes differ, for an empty wall, for displacements that aren't finite, and if the solution isn't
/// found; Cancelled.
ElasticWallReport carryIntoWall(VolumeView<const std::uint8_t> wall, Vec3 spacing,
                                FieldView<float> displacement, const ElasticWallOptions& options,
                                ExecContext& ctx);

} // namespace systole::elasticity
