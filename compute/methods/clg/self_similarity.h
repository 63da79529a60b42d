// Self-similarity: how like its surroundings a voxel is, which doesn't depend on gain, bias or
// contrast. A second data term of CLG beside the gray values, or the only one. After the modality
// independent neighborhood descriptor (Heinrich et al., Medical Image Analysis 16(7), 2012):
//
//     D(x, r) = Σ_p G(p) (I(x + p) − I(x + r + p))²,   V(x) = mean over r of D(x, r) + 1
//     channel(x, r) = 255 V / (V + D),                 r = ±2 voxels along each fine axis
//
// The patch G is a binomial of 3³ voxels. What the weights follow from is in balance_math.h and
// docs/numerics/clg-data-term.md.
#pragma once

#include "compute/core/exec.h"
#include "compute/methods/clg/self_similarity_math.h"

#include <array>

namespace systole {

/// Differences of a volume along its compared axes: component `axis` of `differences` becomes
/// D(x, +r) along that axis; D(x, −r) is the same at x − r. Others aren't written.
void describe(VolumeView<const float> volume, const clg::ComparedAxes& axes,
              FieldView<float> differences, const ExecContext& ctx);

struct SelfSimilarityInput {
    FieldView<const float> fixed, warped; ///< differences of both (describe)
    VolumeView<const float> inside;       ///< 1 where the warped value is data, 0 where not
    clg::ComparedAxes axes;               ///< axes that are compared, at least one
    std::array<float, 3> scale{1, 1, 1};  ///< PyramidLevel::scale() of the volumes' grid
    clg::DataWeights weights;
};

/// product[k] ← intensity · product[k] + selfSimilarity · (sum of the channels' products, weighted
/// as ClgForm::tensor does): central differences of the mean of both frames. Returns the noise as
/// ClgForm::tensor does, of the channels.
double addSelfSimilarity(const SelfSimilarityInput& input,
                         const std::array<VolumeView<float>, 9>& product, const ExecContext& ctx);

} // namespace systole
