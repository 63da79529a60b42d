// The constants and formulas of gradient constancy (gradient_constancy.h) that the CPU and CUDA
// implementations share.
#pragma once

#include "compute/methods/clg/self_similarity_math.h"

#include <array>

namespace systole::clg {

/// Standard deviation of the Gaussian that both frames pass before their gradients are compared, in
/// smallest spacings: second differences of a voxel's width amplify its noise.
inline constexpr double comparedGradientWidth = 0.7;
inline constexpr int gradientChannels = 3;

/// Factor on the products of gray values that divides them by √(typical · norm) instead of their
/// norm |∇I|² + ε; `typical` is the harmonic mean of all norms, so that the data weigh as much as
/// before. `squareRoot`: std::sqrt.
template <typename SquareRoot>
constexpr float rootFactor(float norm, float typical, const SquareRoot& squareRoot) {
    return squareRoot(norm / typical);
}
/// Harmonic mean of the norms, from the sums of `inside` and of inside / norm.
constexpr float typicalNorm(double inside, double reciprocal) {
    return reciprocal > 0 ? static_cast<float>(inside / reciprocal) : 1;
}

/// Share of gradients in frames that are white noise except for faint structure (prefilterSigma).
/// There gray values compare smoothed noise and the edges that stand out; gradients also compare
/// what lies between. A larger share would be too much on a grid of half the spacing.
inline constexpr double shareInNoise = 0.5;

/// The part of the data term that compares gradients. `share`: the parameter; `prefilter`: the
/// width of the prefilter that the noise in the frames asked for.
constexpr float gradientShare(double share, float prefilter) {
    const double noise = clamped(static_cast<double>(prefilter) / narrowPrefilter, 0.0, 1.0);
    const double raised = share + noise * (shareInNoise - share);
    return share > 0 && raised > share ? static_cast<float>(raised) : static_cast<float>(share);
}

/// A component of the gradient along an axis of n voxels, from the values beside voxel i, which are
/// those at clampedBeside(); gray values per two smallest spacings.
constexpr int clampedBeside(int i, int step, int n) {
    return i + step < 0 ? 0 : i + step < n ? i + step : n - 1;
}
constexpr float gradientChannel(float scale, float behind, float ahead) {
    return scale * (ahead - behind);
}

} // namespace systole::clg
