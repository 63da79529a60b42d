#include "compute/core/error.h"
#include "compute/ops/field_difference.h"
#include "compute/ops/field_difference_math.h"
#include "compute/ops/reduce.h"

#include <algorithm>
#include <vector>

namespace systole {
namespace {

/// Figures of one plane, so that the order of summation is the same for any number of threads.
struct PlaneFigures {
    double sum = 0, sumVoxels = 0;
    float maximumSquared = -1, maximumVoxelsSquared = 0;
    std::size_t maximumOffset = 0;
};

} // namespace

FieldDifference fieldDifference(const VectorField& a, const VectorField& b,
                                VolumeView<float> millimeters, const ExecContext& ctx) {
    if (!a.geometry.matches(b.geometry) || millimeters.size != a.geometry.size())
        throw ComputeError("fields to be compared must lie on one grid");
    const Size3 size = a.geometry.size();
    const VoxelToMillimeters matrix = voxelToMillimeters(a.geometry);
    const FieldView<const float> p = a.view(), q = b.view();
    const std::size_t planeVoxels = millimeters.offset(0, 0, 1);
    std::vector<PlaneFigures> planes(static_cast<std::size_t>(size.z));
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int z = begin; z < end; ++z) {
            PlaneFigures plane;
            const std::size_t first = millimeters.offset(0, 0, z);
            for (std::size_t i = first; i < first + planeVoxels; ++i) {
                const float du = p.u[i] - q.u[i], dv = p.v[i] - q.v[i], dw = p.w[i] - q.w[i];
                const float squared = squaredMillimeters(matrix, du, dv, dw);
                const float squaredVoxels = du * du + dv * dv + dw * dw;
                const float distance = std::sqrt(squared);
                millimeters.data[i] = distance;
                plane.sum += static_cast<double>(distance);
                plane.sumVoxels += static_cast<double>(std::sqrt(squaredVoxels));
                plane.maximumVoxelsSquared = std::max(plane.maximumVoxelsSquared, squaredVoxels);
                if (squared > plane.maximumSquared) {
                    plane.maximumSquared = squared;
                    plane.maximumOffset = i;
                }
            }
            planes[static_cast<std::size_t>(z)] = plane;
        }
    });

    PlaneFigures total;
    for (const PlaneFigures& plane : planes) {
        total.sum += plane.sum;
        total.sumVoxels += plane.sumVoxels;
        total.maximumVoxelsSquared =
            std::max(total.maximumVoxelsSquared, plane.maximumVoxelsSquared);
        if (plane.maximumSquared > total.maximumSquared) {
            total.maximumSquared = plane.maximumSquared;
            total.maximumOffset = plane.maximumOffset;
        }
    }
    const auto voxels = static_cast<double>(size.voxels());
    FieldDifference result;
    result.mean = total.sum / voxels;
    result.meanVoxels = total.sumVoxels / voxels;
    result.maximum = static_cast<double>(std::sqrt(std::max(total.maximumSquared, 0.0f)));
    result.maximumVoxels = static_cast<double>(std::sqrt(total.maximumVoxelsSquared));
    result.quantile99 = static_cast<double>(quantiles(millimeters, {0.99})[0]);
    const std::size_t row = static_cast<std::size_t>(size.x);
    result.maximumIndex = {static_cast<int>(total.maximumOffset % row),
                           static_cast<int>(total.maximumOffset % planeVoxels / row),
                           static_cast<int>(total.maximumOffset / planeVoxels)};
    result.maximumAt = a.geometry.indexToPhysical({static_cast<double>(result.maximumIndex[0]),
                                                   static_cast<double>(result.maximumIndex[1]),
                                                   static_cast<double>(result.maximumIndex[2])});
    return result;
}

} // namespace systole
