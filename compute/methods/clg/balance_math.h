// The constants and formulas of CLG's balance that the CPU and CUDA implementations share.
#pragma once

namespace systole::clg {

inline constexpr double expectedRoughness = 0.2;
inline constexpr double minGain = 0.25, maxGain = 16;

// Speckle under 50 % multiplicative noise still has 0.2, a texture-poor CT under white noise 0.02.
inline constexpr double whiteCorrelation = 0.03, structureCorrelation = 0.15;
inline constexpr double strongestPrefilter = 1.5;
// Structure that is wider than a block leaves less in it: of the same texture in the same noise
// 0.015 is left with voxels of 2 mm, 0.007 with those of 1 mm, and the wider one bears more
// smoothing.
inline constexpr double narrowCorrelation = 0.015, wideCorrelation = 0.0075, narrowPrefilter = 1.2;

/// Correlation is measured in cubes of this side, at most so many per axis, evenly spread.
inline constexpr int correlationBlock = 6;
inline constexpr int correlationBlocksPerAxis = 12;
/// Sum of squared gray values over a block; a block below it is constant and carries no
/// information.
inline constexpr double minVariance = 1e-3;
/// Fraction of a block's voxels that have a neighbor along an axis.
inline constexpr double correlationPairs =
    static_cast<double>(correlationBlock - 1) / correlationBlock;

/// Whether neighbors along an axis of this scale (PyramidLevel) are near enough to be correlated
/// where there is structure: the axes that a pyramid halves.
constexpr bool countsAsFine(float scale) { return 1.5f * scale >= 1; }

/// Factor on the difference of component k along an axis, in voxels per voxel, that makes it
/// a length per length.
constexpr float lengthPerLength(float scaleOfComponent, float scaleOfAxis) {
    return scaleOfAxis / scaleOfComponent;
}

/// Every second row suffices for a mean.
inline constexpr int rowStep = 2;

constexpr double clamped(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

/// Number of blocks along an axis of n voxels, n at least correlationBlock, and where one begins.
constexpr int correlationBlocks(int n) {
    const int count = n / correlationBlock;
    return count < 1 ? 1 : count > correlationBlocksPerAxis ? correlationBlocksPerAxis : count;
}
constexpr int correlationBlockStart(int n, int index) {
    const int room = n - correlationBlock, count = correlationBlocks(n);
    return count > 1 ? index * room / (count - 1) : room / 2;
}

/// The data term's epsilon, from the squared residual and the voxels inside.
constexpr float epsilonOf(double squared, double voxels) {
    return 1 + static_cast<float>(voxels > 0 ? squared / voxels : 0);
}

/// The factor on alpha by a field's roughness: the weight of a Gaussian prior on ∇w is the
/// reciprocal of its spread. 1 for a zero field, about which nothing is known yet. warpGain()
/// makes a warp's factor of it.
constexpr double smoothnessGain(double roughness) {
    return roughness > 0 ? clamped(expectedRoughness / roughness, minGain, maxGain) : 1;
}

/// Values of the noise estimate (ClgForm::tensor): up to `motionShows` the roughness of a field is
/// that of the motion, from `noiseShows` on that of noise. Where the estimate exceeds
/// `littleShows`, neighbors tell more than the voxel's own gray values: the gain rises to
/// `noisyGain` times.
inline constexpr double motionShows = 0.5, noiseShows = 0.6;
inline constexpr double littleShows = 0.65, nothingShows = 0.85, noisyGain = 2;

constexpr double ramp(double value, double begin, double end) {
    return clamped((value - begin) / (end - begin), 0.0, 1.0);
}

/// The factor on alpha in a warp. `atStart` and `now`: smoothnessGain of the field that the level
/// began with and of the current one. A field that has become rougher than the start of the level
/// promised is smoothed less, as far as motion made it rough.
constexpr double warpGain(double atStart, double now, double noise) {
    const double lower = now < atStart ? now : atStart;
    const double gain = atStart + (1 - ramp(noise, motionShows, noiseShows)) * (lower - atStart);
    return gain * (1 + ramp(noise, littleShows, nothingShows) * (noisyGain - 1));
}

/// How much gray values and self-similarity (self_similarity.h) weigh in the data term.
struct DataWeights {
    float intensity = 1, selfSimilarity = 0;
};
/// Where gray values agree this well (values of the noise estimate), self-similarity sees finer
/// structure; on coarse levels it gets half the weight wherever noise leaves structure.
inline constexpr double quietBegins = 0.25, quietEnds = 0.4;
inline constexpr double coarseBegins = 0.5, coarseEnds = 0.7, coarseWeight = 0.5;
/// Fraction of the weight of gray values that remains on coarse levels when brightness is matched
/// fully.
inline constexpr double intensityInMatched = 0.3;

/// `brightness`: how far brightness has been matched, 0 to 1.
constexpr DataWeights dataWeights(bool finest, double noise, double brightness) {
    double weight = 1 - ramp(noise, quietBegins, quietEnds);
    if (finest)
        return {1, static_cast<float>(weight)};
    const double onCoarse = coarseWeight * (1 - ramp(noise, coarseBegins, coarseEnds));
    weight = weight > onCoarse ? weight : onCoarse;
    weight = weight > brightness ? weight : brightness;
    return {static_cast<float>(1 - (1 - intensityInMatched) * brightness),
            static_cast<float>(weight)};
}

/// Standard deviation of the smoothing applied to both frames, in voxels, by the correlation of
/// neighbors: zero where they agree, larger the closer the image is to white noise, in which fine
/// gradients carry no information.
constexpr double prefilterSigma(double correlation) {
    return narrowPrefilter * ramp(-correlation, -structureCorrelation, -whiteCorrelation) +
           (strongestPrefilter - narrowPrefilter) *
               ramp(-correlation, -narrowCorrelation, -wideCorrelation);
}

} // namespace systole::clg
