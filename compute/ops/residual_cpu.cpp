#include "compute/ops/residual.h"
#include "compute/ops/sample.h"

#include <vector>

namespace systole {
namespace {

/// Weights, and weighted squares of both differences.
struct Sums {
    double inside = 0, before = 0, after = 0;
};

Sums sumsOfPlane(VolumeView<const float> fixed, VolumeView<const float> moving,
                 VolumeView<const float> warped, FieldView<const float> field, int z) {
    const Size3 size = fixed.size;
    Sums plane;
    for (int y = 0; y < size.y; ++y) {
        const std::size_t row = fixed.offset(0, y, z);
        // Sums of a row in single precision, as in the search for the noise floor.
        float inside = 0, before = 0, after = 0;
        for (int x = 0; x < size.x; ++x) {
            const std::size_t i = row + static_cast<std::size_t>(x);
            const float weight =
                insideWeight(static_cast<float>(x) + field.u[i], static_cast<float>(y) + field.v[i],
                             static_cast<float>(z) + field.w[i], size);
            const float still = moving.data[i] - fixed.data[i];
            const float displaced = warped.data[i] - fixed.data[i];
            inside += weight;
            before += weight * still * still;
            after += weight * displaced * displaced;
        }
        plane.inside += static_cast<double>(inside);
        plane.before += static_cast<double>(before);
        plane.after += static_cast<double>(after);
    }
    return plane;
}

} // namespace

ResidualChange residualChange(VolumeView<const float> fixed, VolumeView<const float> moving,
                              VolumeView<const float> warped, FieldView<const float> field,
                              const ExecContext& ctx) {
    std::vector<Sums> planes(static_cast<std::size_t>(fixed.size.z));
    parallelFor(ctx, fixed.size.z, 1, [&](int begin, int end) {
        for (int z = begin; z < end; ++z)
            planes[static_cast<std::size_t>(z)] = sumsOfPlane(fixed, moving, warped, field, z);
    });
    Sums total;
    for (const Sums& plane : planes) {
        total.inside += plane.inside;
        total.before += plane.before;
        total.after += plane.after;
    }
    if (!(total.inside > 0))
        return {};
    return {total.before / total.inside, total.after / total.inside};
}

bool residualStays(const ResidualChange& change, double grayRange) {
    constexpr double leastDifference = 0.02, mostLeft = 0.98;
    const double floor = leastDifference * grayRange;
    return change.before > floor * floor && change.after > mostLeft * change.before;
}

} // namespace systole
