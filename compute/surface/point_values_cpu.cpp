#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample_at.h"
#include "compute/surface/point_values.h"

namespace systole {

std::vector<float> valuesAtPoints(VolumeView<const float> values, const Geometry& geometry,
                                  const TriangleMesh& mesh, const ExecContext& ctx) {
    constexpr int grain = 4096;
    std::vector<float> found(mesh.points.size());
    overItems(found.size(), grain, ctx, [&](std::size_t i) {
        found[i] = valueAt(values, geometry.physicalToIndex(widened(mesh.points[i])));
    });
    return found;
}

} // namespace systole
