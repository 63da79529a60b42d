#include "app/features/registration/register_wall.h"

#include "app/anatomy/tissue_labels.h"
#include "compute/core/motion_start.h"
#include "compute/ops/two_grids.h"

#include <cstdint>
#include <vector>

namespace systole {
namespace {

/// The displacement of the affine part alone.
VectorField affineField(const RegistrationResult& result, const ExecContext& ctx) {
    VectorField field = fieldAtRest(result.displacement.geometry, *ctx.pool, "affine displacement");
    if (result.affine)
        appendAffine(*result.affine, field.geometry, field.view(), ctx);
    return field;
}

} // namespace

ElasticWallOutcome carryIntoWall(const ElasticWallJob& job, RegistrationResult& result,
                                 ExecContext ctx) {
    ctx.report("elastic wall", 0.8);
    const Geometry& grid = result.displacement.geometry;
    const TissueLabels tissue =
        readTissueLabels(job.labels, job.label, grid, "--elastic-label", ctx);
    const std::vector<std::uint8_t> wall = tissue.voxels();

    const VectorField affine = affineField(result, ctx);
    float* const values = result.displacement.components.data();
    const std::size_t count = result.displacement.components.size();
    for (std::size_t i = 0; i < count; ++i)
        values[i] -= affine.components.data()[i];
    ElasticWallOutcome outcome;
    outcome.label = tissue.label;
    outcome.report = elasticity::carryIntoWall({wall.data(), grid.size()}, grid.spacing(),
                                               result.displacement.view(), job.options, ctx);
    for (std::size_t i = 0; i < count; ++i)
        values[i] += affine.components.data()[i];
    return outcome;
}

} // namespace systole
