#include "compute/ops/field_difference_math.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/reduce.h"

#include <algorithm>

namespace systole {
namespace {

/// Sums of the distances, and the largest, of one plane or more.
struct Figures {
    double sum = 0, sumVoxels = 0;
    float maximumSquared = -1, maximumVoxelsSquared = 0;
    std::size_t maximumOffset = 0;

    void operator+=(const Figures& other) {
        sum += other.sum;
        sumVoxels += other.sumVoxels;
        maximumVoxelsSquared = std::max(maximumVoxelsSquared, other.maximumVoxelsSquared);
        if (other.maximumSquared > maximumSquared) {
            maximumSquared = other.maximumSquared;
            maximumOffset = other.maximumOffset;
        }
    }
};

} // namespace

FieldDifference fieldDifference(const VectorField& a, const VectorField& b,
                                VolumeView<float> millimeters, const ExecContext& ctx) {
    checkDifference(a, b, millimeters.size);
    const VoxelToMillimeters matrix = voxelToMillimeters(a.geometry);
    const FieldView<const float> p = a.view(), q = b.view();
    const auto measure = [&](Figures& plane, int z) {
        ctx.throwIfCancelled();
        for (std::size_t i = millimeters.offset(0, 0, z); i < millimeters.offset(0, 0, z + 1);
             ++i) {
            const float du = p.u[i] - q.u[i], dv = p.v[i] - q.v[i], dw = p.w[i] - q.w[i];
            const float squared = squaredMillimeters(matrix, du, dv, dw);
            const float squaredVoxels = du * du + dv * dv + dw * dw;
            const float distance = std::sqrt(squared);
            millimeters.data[i] = distance;
            plane += {static_cast<double>(distance), static_cast<double>(std::sqrt(squaredVoxels)),
                      squared, squaredVoxels, i};
        }
    };
    const Figures total = sumOverPlanes(millimeters.size, ctx, Figures{}, measure);
    const auto voxels = static_cast<double>(millimeters.voxels());
    FieldDifference result;
    result.mean = total.sum / voxels;
    result.meanVoxels = total.sumVoxels / voxels;
    result.maximum = static_cast<double>(std::sqrt(std::max(total.maximumSquared, 0.0f)));
    result.maximumVoxels = static_cast<double>(std::sqrt(total.maximumVoxelsSquared));
    result.quantile99 = static_cast<double>(quantiles(millimeters, {0.99})[0]);
    setMaximumAt(result, total.maximumOffset, a.geometry);
    return result;
}

} // namespace systole
