// Linear elasticity on the voxels of a wall: the displacement of least energy among those that
// follow a motion known at some nodes. Each voxel is an element, its corners are the nodes.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/elasticity/hexahedron.h"
#include "compute/sparse/csr_matrix.h"
#include "compute/sparse/multigrid.h"

#include <cstdint>
#include <span>
#include <vector>

namespace systole::elasticity {

/// Corner (x, y, z) of the grid is the one of voxel (x, y, z) nearest to voxel (0, 0, 0); the grid
/// of corners has one more along each axis than the voxels, x fastest.
struct WallMesh {
    Size3 voxels;
    Vec3 spacing;                       ///< mm
    std::vector<std::uint8_t> inWall;   ///< 0 or 1 for each voxel
    std::vector<std::int32_t> nodeAt;   ///< node at each corner of the grid; -1: none
    std::vector<std::int64_t> cornerOf; ///< corner of each node, ascending

    std::int64_t nodes() const { return static_cast<std::int64_t>(cornerOf.size()); }
    Size3 corners() const { return {voxels.x + 1, voxels.y + 1, voxels.z + 1}; }
    /// x, y, z of the node in the grid of corners.
    std::array<int, 3> place(std::int32_t node) const;
    /// mm along the index axes, from the center of voxel (0, 0, 0).
    Vec3 position(std::int32_t node) const;
    /// Whether a voxel at the node isn't in the wall.
    bool onSurface(std::int32_t node) const;
};

/// `wall` isn't 0 in the wall, on the host. Throws ComputeError if there is no such voxel, too many
/// (3 unknowns per node must be below 2^31), or if the spacing isn't finite and positive.
WallMesh meshOfWall(VolumeView<const std::uint8_t> wall, Vec3 spacing);

/// A node's displacement, mm along the index axes.
struct KnownMotion {
    std::int32_t node = 0;
    Vec3 displacement;
    /// 0: held there. Else that of a spring to there, in the unit of Young's modulus times mm.
    double springStiffness = 0;
};

/// stiffness · unknowns = load, symmetric and positive definite. Rows 3 n to 3 n + 2 are the
/// components of freeNodes[n].
struct WallSystem {
    sparse::CsrMatrix<double> stiffness;
    std::vector<double> load;
    std::vector<std::int32_t> freeNodes; ///< ascending
    std::vector<Vec3> held;              ///< displacement of each node; zero for free ones
};

/// Throws ComputeError if a node is unknown, named twice or its motion isn't finite, or if the
/// known motion leaves a part of the wall (voxels connected by faces) free to move: each needs
/// three of its nodes, not on a line. Throws Cancelled. The same bits for any number of threads.
WallSystem assembleWall(const WallMesh& mesh, const ElasticMaterial& material,
                        std::span<const KnownMotion> known, ExecContext& ctx);

/// The six rigid motions at the unknowns, three translations and three rotations about the middle
/// of the free nodes, in units of their extent: what multigrid must keep of elasticity.
sparse::NearKernel rigidMotions(const WallMesh& mesh, const WallSystem& system);

/// The displacement of every node, mm along the index axes, from a solution of the system.
std::vector<Vec3> displacementOfNodes(const WallSystem& system, std::span<const double> unknowns);

} // namespace systole::elasticity
