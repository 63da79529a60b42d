#include "app/features/registration/register_landmarks.h"

#include "compute/core/error.h"
#include "compute/landmarks/far_field.h"
#include "compute/landmarks/robust_fit.h"
#include "io/landmarks/landmark_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace systole {
namespace {

constexpr double evaluationTolerance = 0.02; ///< voxel

/// Millimeters along the fixed grid's axes.
std::vector<Vec3> alongAxes(const LandmarkSet& set, const Geometry& fixed) {
    const Vec3 spacing = fixed.spacing();
    std::vector<Vec3> points;
    for (const Landmark& landmark : set.points) {
        const Vec3 index = fixed.physicalToIndex(landmark.position);
        points.push_back({index.x * spacing.x, index.y * spacing.y, index.z * spacing.z});
    }
    return points;
}

} // namespace

StartField startField(const std::string& fixedPoints, const std::string& movingPoints,
                      const FrameGrids& grids, const ExecContext& ctx) {
    const StoredLandmarks fixed = readLandmarks(fixedPoints, {.grid = grids.fixed});
    const StoredLandmarks moving = readLandmarks(movingPoints, {.grid = grids.moving});
    if (fixed.set.points.size() != moving.set.points.size())
        throw ComputeError(fmt::format("{} has {} points and {} has {}; the same lines must belong "
                                       "together",
                                       fixedPoints, fixed.set.points.size(), movingPoints,
                                       moving.set.points.size()));
    const Vec3 spacing = grids.fixed.spacing();
    const RobustFit fit =
        fitRobustly(alongAxes(fixed.set, grids.fixed), alongAxes(moving.set, grids.fixed), {},
                    {.tolerance = std::min({spacing.x, spacing.y, spacing.z})}, ctx);
    StartField start{VectorField(grids.fixed, *ctx.pool, "motion through landmarks"), {}};
    displacementOnGrid(fit.spline, spacing, evaluationTolerance, start.field.view(), ctx);
    start.description = fmt::format(
        "a thin-plate spline through {} of {} pairs of points, cross-validated error {:.2f} mm",
        fit.weights.size() - static_cast<std::size_t>(fit.rejected), fit.weights.size(),
        fit.validationError);
    return start;
}

} // namespace systole
