#include "compute/ops/bspline_device.cuh"
#include "compute/ops/bspline_field_check.h"

namespace systole {

void gpu::bsplineField(LaunchLog& log, ControlPointsView<const float> points,
                       FieldView<float> field) {
    bspline::launchColumns({points, field}, log);
}

void bsplineFieldOnDevice(ControlPointsView<const float> points, FieldView<float> field,
                          const ExecContext& ctx) {
    bspline::checkOnDevice(points.grid, points.values.size, field.size);
    loggedCall(ctx, "warp", [&](LaunchLog& log) { gpu::bsplineField(log, points, field); });
}

} // namespace systole
