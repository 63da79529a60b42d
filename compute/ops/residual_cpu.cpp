#include "compute/ops/over_voxels.h"
#include "compute/ops/residual.h"
#include "compute/ops/sample.h"

#include <cmath>

namespace systole {
ResidualChange residualChange(VolumeView<const float> fixed, VolumeView<const float> moving,
                              VolumeView<const float> warped, FieldView<const float> field,
                              const KnownFrames& known, const ExecContext& ctx) {
    const Size3 size = fixed.size;
    const float origin = fixed.data[0];
    const auto add = [&](ResidualSums& plane, int z) {
        for (int y = 0; y < size.y; ++y) {
            const std::size_t row = fixed.offset(0, y, z);
            // Sums of a row in single precision, as in the search for the noise floor.
            ResidualSumsIn<float> sums;
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = row + static_cast<std::size_t>(x);
                if (!known.at(i))
                    continue;
                const float weight = insideWeight(displaced(field, i, x, y, z), size);
                const float still = moving.data[i] - fixed.data[i];
                const float moved = warped.data[i] - fixed.data[i];
                const float here = fixed.data[i] - origin, there = moving.data[i] - origin;
                sums += ResidualSumsIn<float>{weight,
                                              weight * here,
                                              weight * there,
                                              weight * here * here,
                                              weight * there * there,
                                              weight * still * still,
                                              weight * moved * moved};
            }
            plane += sums;
        }
    };
    return changeOf(sumOverPlanes(size, ctx, ResidualSums{}, add));
}

ResidualChange changeOf(const ResidualSums& sums) {
    const double inside = sums.inside;
    if (!(inside > 0))
        return {};
    ResidualChange result{sums.before / inside, sums.after / inside, 0};
    const double f = sums.fixed / inside, m = sums.moving / inside;
    const double ofFixed = sums.fixedSquared / inside - f * f,
                 ofMoving = sums.movingSquared / inside - m * m;
    // (m − f)² = m² + f² − 2fm.
    const double product =
        (sums.fixedSquared + sums.movingSquared - sums.before) / (2 * inside) - f * m;
    // Rounding leaves a constant frame some variance.
    constexpr double rounding = 1e-6;
    if (ofFixed > rounding * sums.fixedSquared / inside &&
        ofMoving > rounding * sums.movingSquared / inside)
        result.correlation = product / std::sqrt(ofFixed * ofMoving);
    return result;
}

bool contrastIsInverted(const ResidualChange& change) {
    return change.tells && change.correlation < -0.3;
}

bool residualStays(const ResidualChange& change, double grayRange, double minRemoved) {
    constexpr double minDifference = 0.02;
    const double floor = minDifference * grayRange;
    return change.tells && change.before > floor * floor &&
           change.after > (1 - minRemoved) * change.before;
}

} // namespace systole
