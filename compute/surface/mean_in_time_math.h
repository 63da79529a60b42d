// Formulas of the mean in time that all implementations share; lengths in the unit of phi.
#pragma once

#include "compute/surface/nonlocal_means_math.h"

namespace systole::mean_in_time {

/// w_s, with `factor` q^|s−t| and `scale` 1 / (n h²).
constexpr float weightOf(float distance, float noise, float factor, float scale) {
    const float beyond = distance > noise ? distance - noise : 0.0f;
    return factor * std::exp(-beyond * scale);
}

/// D0 from the squared length of the rest of a patch, the features' last: the noise of n numbers
/// less the four coordinates taken out, in two patches.
constexpr double noiseDistance(double squaredRest, int numbers) {
    return 2 * squaredRest * numbers / (numbers - 4);
}

/// ‖a[x] − b[x]‖² over the patches at the voxel p of two volumes of one size.
constexpr float patchDistance(Size3 size, const float* a, const float* b, Voxel p, int radius) {
    float sum = 0;
    for (int n = 0; n < nlm::patchNumbers(radius); ++n) {
        const int at = nlm::patchOffset(size, p, radius, n);
        sum = nlm::addSquare(sum, a[at], b[at]);
    }
    return sum;
}

} // namespace systole::mean_in_time
