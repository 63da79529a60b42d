#include "compute/ops/sample.h"
#include "compute/surface/point_values.h"

namespace systole {

std::vector<float> valuesAtPoints(VolumeView<const float> values, const Geometry& geometry,
                                  const TriangleMesh& mesh, const ExecContext& ctx) {
    constexpr int grain = 4096;
    std::vector<float> found(mesh.points.size());
    parallelFor(ctx, static_cast<int>(found.size()), grain, [&](int begin, int end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const auto& p = mesh.points[i];
            const Vec3 at = geometry.physicalToIndex(
                {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])});
            const TrilinearSample sample(values.size, static_cast<float>(at.x),
                                         static_cast<float>(at.y), static_cast<float>(at.z));
            found[i] = sample.of(values.data);
        }
    });
    return found;
}

} // namespace systole
