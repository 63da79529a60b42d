// Whether the outcome of an estimation can be trusted: one place for commands and panels.
#pragma once

#include "compute/core/figure.h"
#include "compute/measures/similarity.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Known properties of a motion that was found; unknown ones are not judged.
struct MotionOutcome {
    /// Voxels of the field; those with a determinant of at most 0.
    std::size_t voxels = 0, folded = 0;
    std::optional<double> meanDeterminant{}, smallestDeterminant{}, largestDeterminant{};
    std::optional<SimilarityFigures> before{}, after{};
    double gainBefore = 0, gainAfter = 0; ///< localGainSpread()
    bool comparesGrayValues = true;       ///< MotionReport::comparesGrayValues
    bool affineAlone = false;             ///< the motion is an affine map
    std::vector<Figure> figures{};        ///< figures of the level that has those of landmarks
};

/// A sentence with numbers for each reason to doubt the motion; none for one that looks sound.
std::vector<std::string> doubtsAbout(const MotionOutcome& outcome);

} // namespace systole
