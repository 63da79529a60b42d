// Similarity of two images under a displacement, and doubts about the displacement: the same
// figures for the command's record and the panel.
#pragma once

#include "compute/measures/outcome.h"
#include "compute/measures/similarity.h"
#include "compute/motion/registration.h"
#include "compute/ops/jacobian.h"

#include <string>
#include <vector>

namespace systole {

/// The moving image under a displacement, on the fixed grid.
struct MovedImage {
    Volume gray;
    /// 1 where images are compared: inside the moving one, known, in the fixed mask.
    Volume counted;
};
MovedImage movedImage(const RegistrationImages& images, FieldView<const float> field,
                      const ExecContext& ctx);

/// The range of each image.
GrayRanges grayRanges(const RegistrationImages& images);

SimilarityFigures similarityOf(const RegistrationImages& images, const MovedImage& moved,
                               const GrayRanges& ranges, const ExecContext& ctx);

/// The measures of a registration, from its field.
struct RegistrationMeasures {
    SimilarityFigures before, after; ///< `before`: where the images lie
    JacobianFigures jacobian;
    VolumeChange volumeChange;       ///< change inside the fixed mask, if there is one
    std::vector<std::string> doubts; ///< doubtsAbout()
};
RegistrationMeasures measuresOf(const RegistrationImages& images, const RegistrationResult& result,
                                const ExecContext& ctx);

} // namespace systole
