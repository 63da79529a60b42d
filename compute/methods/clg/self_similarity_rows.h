// The inner loops of self-similarity on the CPU, one row (x) at a time, in SIMD chosen at run time
// (compute/ops/row_kernels.h). Channels are in the order of the differences that they come from.
#pragma once

#include "compute/methods/clg/self_similarity_math.h"
#include "compute/methods/clg/solver/rows.h"

namespace systole::rows {

/// Squared differences of a row of both frames, one row for each channel.
struct ChannelDifferences {
    const float *fixed[clg::maxChannels], *warped[clg::maxChannels];
    int channels;
};

/// channelValue() of both frames: sum[c] = warped + fixed, difference[c] = warped − fixed.
void channels(const ChannelDifferences& differences, int count,
              float* const (&sum)[clg::maxChannels], float* const (&difference)[clg::maxChannels]);

/// The sums over the row of inside · Σ_c (warped − fixed)² of the channels, and of inside.
ResidualSum squaredChannels(const ChannelDifferences& differences, const float* inside, int count);

/// The channels of a row and the sums of the rows beside it. sum[c][-1] and sum[c][count] are read;
/// where a neighbor is missing, both of its axis are the same, so that the derivative is zero.
struct ChannelRow {
    const float *sum[clg::maxChannels], *difference[clg::maxChannels];
    const float *beforeY[clg::maxChannels], *afterY[clg::maxChannels];
    const float *beforeZ[clg::maxChannels], *afterZ[clg::maxChannels];
    int channels;
    float factor[3]; ///< differenceFactor of each axis
};

/// product[k] ← weights.intensity · product[k] + weights.selfSimilarity · weight · ChannelSums'
/// products, with its weight. Returns the sums of weight · squaredDifference and of inside.
ResidualSum addChannels(const ChannelRow& row, const float* inside, float epsilon,
                        clg::DataWeights weights, int count, float* const (&product)[9]);

} // namespace systole::rows
