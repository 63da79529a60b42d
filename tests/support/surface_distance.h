// How far one surface lies from another.
#pragma once

#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/surface/nearest_triangle.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {

struct SurfaceDistance {
    double mean = 0, largest = 0; ///< mm
};

/// Distances from the points of `from` to the nearest points of the triangles of `to`. Throws
/// ComputeError if one has no triangle.
inline SurfaceDistance distanceBetween(const TriangleMesh& from, const TriangleMesh& to,
                                       const ExecContext& ctx) {
    if (from.triangles.empty() || to.triangles.empty())
        throw ComputeError("the distance of two surfaces needs triangles in both");
    const NearestTriangle nearest(to);
    std::vector<double> squared(from.points.size());
    constexpr int pointsPerChunk = 512;
    overItems(squared.size(), pointsPerChunk, ctx, [&](std::size_t i) {
        ctx.throwIfCancelled();
        squared[i] = nearest.to(widened(from.points[i])).squaredDistance;
    });
    SurfaceDistance distance;
    for (const double value : squared) {
        distance.mean += std::sqrt(value);
        distance.largest = std::max(distance.largest, std::sqrt(value));
    }
    distance.mean /= static_cast<double>(squared.size());
    return distance;
}

} // namespace systole
