#include "compute/ops/residual.h"
#include "compute/ops/sample.h"

#include <cmath>
#include <vector>

namespace systole {
namespace {

ResidualSums sumsOfPlane(VolumeView<const float> fixed, VolumeView<const float> moving,
                         VolumeView<const float> warped, FieldView<const float> field, int z) {
    const Size3 size = fixed.size;
    const float origin = fixed.data[0];
    ResidualSums plane;
    for (int y = 0; y < size.y; ++y) {
        const std::size_t row = fixed.offset(0, y, z);
        // Sums of a row in single precision, as in the search for the noise floor.
        float inside = 0, before = 0, after = 0, f = 0, m = 0, ff = 0, mm = 0;
        for (int x = 0; x < size.x; ++x) {
            const std::size_t i = row + static_cast<std::size_t>(x);
            const float weight =
                insideWeight(static_cast<float>(x) + field.u[i], static_cast<float>(y) + field.v[i],
                             static_cast<float>(z) + field.w[i], size);
            const float still = moving.data[i] - fixed.data[i];
            const float displaced = warped.data[i] - fixed.data[i];
            const float here = fixed.data[i] - origin, there = moving.data[i] - origin;
            inside += weight;
            f += weight * here;
            m += weight * there;
            ff += weight * here * here;
            mm += weight * there * there;
            before += weight * still * still;
            after += weight * displaced * displaced;
        }
        plane.inside += static_cast<double>(inside);
        plane.fixed += static_cast<double>(f);
        plane.moving += static_cast<double>(m);
        plane.fixedSquared += static_cast<double>(ff);
        plane.movingSquared += static_cast<double>(mm);
        plane.before += static_cast<double>(before);
        plane.after += static_cast<double>(after);
    }
    return plane;
}

} // namespace

ResidualChange residualChange(VolumeView<const float> fixed, VolumeView<const float> moving,
                              VolumeView<const float> warped, FieldView<const float> field,
                              const ExecContext& ctx) {
    std::vector<ResidualSums> planes(static_cast<std::size_t>(fixed.size.z));
    parallelFor(ctx, fixed.size.z, 1, [&](int begin, int end) {
        for (int z = begin; z < end; ++z)
            planes[static_cast<std::size_t>(z)] = sumsOfPlane(fixed, moving, warped, field, z);
    });
    ResidualSums total;
    for (const ResidualSums& plane : planes) {
        total.inside += plane.inside;
        total.fixed += plane.fixed;
        total.moving += plane.moving;
        total.fixedSquared += plane.fixedSquared;
        total.movingSquared += plane.movingSquared;
        total.before += plane.before;
        total.after += plane.after;
    }
    return total.change();
}

ResidualChange ResidualSums::change() const {
    if (!(inside > 0))
        return {};
    ResidualChange result{before / inside, after / inside, 0};
    const double f = fixed / inside, m = moving / inside;
    const double ofFixed = fixedSquared / inside - f * f, ofMoving = movingSquared / inside - m * m;
    // (m − f)² = m² + f² − 2fm.
    const double product = (fixedSquared + movingSquared - before) / (2 * inside) - f * m;
    // Rounding leaves a constant frame some variance.
    constexpr double rounding = 1e-6;
    if (ofFixed > rounding * fixedSquared / inside && ofMoving > rounding * movingSquared / inside)
        result.correlation = product / std::sqrt(ofFixed * ofMoving);
    return result;
}

bool contrastIsInverted(const ResidualChange& change) {
    return change.tells && change.correlation < -0.3;
}

bool residualStays(const ResidualChange& change, double grayRange) {
    constexpr double leastDifference = 0.02, mostLeft = 0.98;
    const double floor = leastDifference * grayRange;
    return change.tells && change.before > floor * floor && change.after > mostLeft * change.before;
}

} // namespace systole
