// Points followed in an elastic wall: those that were found pull it along by springs, and those
// that were lost move with it.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/elasticity/wall_system.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace systole::elasticity {

struct WallTrackOptions {
    ElasticMaterial material{};
    /// mm over which the wall may smooth what its points say: a point's spring is as stiff as so
    /// long a column of the wall, of a voxel's face, times the point's weight. Above 0.
    double length = 0.3;
    double tolerance = 1e-6; ///< largest relative residual
};

struct WallTrackReport {
    std::int64_t unknowns = 0;
    int springs = 0; ///< points that pull
    int carried = 0; ///< points that didn't
    int iterations = 0;
    bool bodySetUp = false; ///< true if this call set the body up, which later calls use
    double setUpSeconds = 0, solveSeconds = 0;
};

class WallTracks {
public:
    /// `wall` isn't 0 in the wall, where the points are when nothing has moved yet. Points in mm
    /// along the index axes from the center of voxel (0, 0, 0); those outside the grid, or not
    /// finite, aren't in the wall. Parts of the wall (voxels connected
    /// by faces) with fewer than four points are left out. Throws ComputeError for an empty wall, a
    /// length that isn't positive, and if no part has four points.
    WallTracks(VolumeView<const std::uint8_t> wall, Vec3 spacing, std::span<const Vec3> points,
               const WallTrackOptions& options);
    ~WallTracks();

    bool holds(std::size_t point) const { return voxelOf_[point] >= 0; }
    int held() const; ///< points in the wall

    /// Replaces `displacements`, in mm, of the points in the wall by the wall's; on entry those
    /// with a weight above 0 have what was found, 1 for a sure one. An affine map is fitted first,
    /// and the wall solved for the rest, as linear elasticity is for small rotations. Throws
    /// ComputeError if the points that pull leave a part of the wall free to move, and Cancelled;
    /// nothing is changed then. Same bits for any number of threads and any frames before. The
    /// first call sets the body up for all: its multigrid hierarchy, with a spring at every point,
    /// is the preconditioner of each call's own system.
    WallTrackReport carry(std::span<Vec3> displacements, std::span<const double> weights,
                          ExecContext& ctx);

private:
    struct Body;
    struct Share {
        std::int32_t node;
        double weight;
    };
    /// The nodes of the point's voxel, trilinear.
    std::array<Share, 8> shares(std::size_t point) const;
    /// The springs of these points: a point's is shared by the nodes of its voxel, as its place is.
    std::vector<KnownMotion> springs(std::span<const std::size_t> points,
                                     std::span<const Vec3> displacements,
                                     std::span<const double> weights) const;

    WallTrackOptions options_;
    std::vector<Vec3> points_;
    std::vector<std::int64_t> voxelOf_; ///< -1: not in the wall
    WallMesh mesh_;
    std::unique_ptr<Body> body_; ///< null before the first carry()
};

} // namespace systole::elasticity
