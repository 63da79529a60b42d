// Spreads points on a surface from the voxels beside it to all others, so that each voxel knows its
// nearest: a vector distance transform by lower envelopes along x, y and z.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <cstdint>

namespace systole {

/// `points` (in voxels) holds a point of the surface for voxels beside it, at most two voxels away,
/// and NaN as the first component elsewhere. `source` becomes the offset of the voxel whose point
/// is nearest to each voxel, in mm by `spacing`, or -1 everywhere if there is no point. A line's
/// candidates are what its voxels found along the axes before: where several points are about as
/// near, a neighbor of the nearest may be found, which nearestAround() corrects. Volumes of up to
/// 2^31 voxels, on the host.
void spreadClosestPoints(FieldView<const float> points, Vec3 spacing,
                         VolumeView<std::int32_t> source, const ExecContext& ctx);

/// Closest points, with squared distances to them in mm² and single precision.
struct ClosestPoints {
    FieldView<const float> of; ///< the closest point of each voxel, in voxels
    float sx, sy, sz;          ///< spacing in mm

    constexpr ClosestPoints(FieldView<const float> points, float spacingX, float spacingY,
                            float spacingZ)
        : of(points), sx(spacingX), sy(spacingY), sz(spacingZ) {}
    ClosestPoints(FieldView<const float> points, Vec3 spacing)
        : ClosestPoints(points, static_cast<float>(spacing.x), static_cast<float>(spacing.y),
                        static_cast<float>(spacing.z)) {}

    /// The squared distance in mm from the voxel (x, y, z) to the point of voxel `source`.
    constexpr float squaredDistance(std::int32_t source, int x, int y, int z) const {
        const float dx = (of.u[source] - static_cast<float>(x)) * sx;
        const float dy = (of.v[source] - static_cast<float>(y)) * sy;
        const float dz = (of.w[source] - static_cast<float>(z)) * sz;
        return dx * dx + dy * dy + dz * dz;
    }

    /// Descends from the point of voxel `source` to the nearest among the points of the neighboring
    /// voxels, as long as that is nearer to the voxel (x, y, z). Returns the voxel of the last
    /// point.
    constexpr std::int32_t nearestAround(std::int32_t source, int x, int y, int z) const {
        constexpr int maxSteps = 16;
        const int nx = of.size.x, ny = of.size.y, nz = of.size.z;
        float minSquared = squaredDistance(source, x, y, z);
        for (int step = 0; step < maxSteps; ++step) {
            const std::int32_t from = source;
            const int atX = from % nx, atY = from / nx % ny, atZ = from / nx / ny;
            for (int k = atZ > 0 ? atZ - 1 : 0; k <= atZ + 1 && k < nz; ++k)
                for (int j = atY > 0 ? atY - 1 : 0; j <= atY + 1 && j < ny; ++j)
                    for (int i = atX > 0 ? atX - 1 : 0; i <= atX + 1 && i < nx; ++i) {
                        const std::int32_t other = i + nx * (j + ny * k);
                        // False where there is no point.
                        const float squared = squaredDistance(other, x, y, z);
                        if (squared < minSquared) {
                            minSquared = squared;
                            source = other;
                        }
                    }
            if (source == from)
                break;
        }
        return source;
    }
};

} // namespace systole
