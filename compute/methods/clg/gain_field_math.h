// The constants and formulas of CLG's gain field (gain_field.h) that the CPU and CUDA
// implementations share.
#pragma once

#include "compute/methods/clg/brightness_math.h"
#include "compute/methods/clg/tensor_math.h"

namespace systole::clg {

/// Side of a cell in smallest spacings.
inline constexpr float gainCell = 4;
/// The unknowns of a cell: motion along three axes in smallest spacings, and the change of contrast
/// and brightness in gray values.
inline constexpr int gainUnknowns = 5;

/// The warped frame as the factor of the change of contrast: about −1 to 1.
inline constexpr float contrastUnit = 128;
constexpr float contrastOf(float warped) { return warped / contrastUnit - 1; }

/// Weighted sums over the voxels of a cell of the products of v = (∂x I, ∂y I, ∂z I, contrast, 1)
/// with each other (upper triangle, row by row), with the residual, and of the squared residual.
struct GainSums {
    static constexpr int products = gainUnknowns * (gainUnknowns + 1) / 2;
    static constexpr int values = products + gainUnknowns + 2;
    float of[values];

    constexpr void add(const GainSums& other, float weight) {
        for (int k = 0; k < values; ++k)
            of[k] += weight * other.of[k];
    }
    /// A voxel's share by its weight.
    static constexpr GainSums voxel(const Gradient& g, float warped, float inside, float epsilon) {
        const float weight = inside / dataNorm(g, epsilon);
        const float v[gainUnknowns] = {g.x, g.y, g.z, contrastOf(warped), 1};
        GainSums sums{};
        int n = 0;
        for (int i = 0; i < gainUnknowns; ++i)
            for (int j = i; j < gainUnknowns; ++j)
                sums.of[n++] = weight * v[i] * v[j];
        for (int i = 0; i < gainUnknowns; ++i)
            sums.of[n++] = weight * v[i] * g.t;
        sums.of[n++] = weight * g.t * g.t;
        sums.of[n] = inside;
        return sums;
    }
};

/// Prior standard deviations of the unknowns: the motion left, smallest spacings, and the change,
/// gray values.
inline constexpr double expectedStep = 0.5, expectedChange = 40;
/// Voxels whose residuals are correlated, and so count as one.
inline constexpr double correlatedVoxels = 0.3;
/// Keeps frames without any residual from a division by zero.
inline constexpr double minPivot = 1e-9;
/// The part of the residual left by the cell's motion that a change of brightness must explain:
/// below the first value it isn't believed, from the second one fully.
inline constexpr double littleExplained = 0.2, enoughExplained = 0.4;

/// The gain and offset that, together with one motion of the cell, leave the least residual, as far
/// as they explain what that motion alone leaves.
constexpr BrightnessCoefficients gainCoefficients(const GainSums& s) {
    constexpr int n = gainUnknowns;
    const double voxels = static_cast<double>(s.of[GainSums::values - 1]);
    if (voxels < static_cast<double>(minBrightnessVoxels))
        return {1, 0};
    double a[n][n + 1] = {};
    int k = 0;
    for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j)
            a[i][j] = a[j][i] = static_cast<double>(s.of[k++]);
    for (int i = 0; i < n; ++i)
        a[i][n] = -static_cast<double>(s.of[k++]);
    const double squared = static_cast<double>(s.of[k]);
    for (int i = 0; i < n; ++i) {
        const double spread = i < 3 ? expectedStep : expectedChange;
        a[i][i] += correlatedVoxels * squared / voxels / (spread * spread) + minPivot;
    }
    // Reduction of the squared residual by each unknown, after that by the unknowns before it.
    double lessened[n] = {};
    for (int i = 0; i < n; ++i) {
        lessened[i] = a[i][n] * a[i][n] / a[i][i];
        for (int j = i + 1; j < n; ++j) {
            const double factor = a[j][i] / a[i][i];
            for (int m = i; m <= n; ++m)
                a[j][m] -= factor * a[i][m];
        }
    }
    const double left = squared - lessened[0] - lessened[1] - lessened[2];
    const double share =
        ramp(left > 0 ? (lessened[3] + lessened[4]) / left : 0, littleExplained, enoughExplained);
    const double offset = a[4][n] / a[4][4];
    const double contrast = (a[3][n] - a[3][4] * offset) / a[3][3];
    return {static_cast<float>(1 + share * contrast / double{contrastUnit}),
            static_cast<float>(share * (offset - contrast))};
}

} // namespace systole::clg
