// A thin-plate spline through landmarks of which some are wrong.
//
// Each landmark is predicted from its neighbors without itself (neighbor_prediction.h). One that is
// missed by t times what is allowed gets the weight (1 − t²)², 0 from t = 1 (Tukey's biweight), and
// so the relaxation κ / weight; predictions and weights are repeated until they stand. Allowed is
//     threshold · τ √(v + κ) + tolerance
// with τ the greater of the medians over all landmarks and over those around: where neighbors
// disagree with each other, as along a sliding wall, more is allowed. κ is cross-validated over the
// landmarks that count, and chosen again until they stand, too.
#pragma once

#include "compute/landmarks/cross_validation.h"
#include "compute/landmarks/thin_plate.h"

#include <optional>
#include <vector>

namespace systole {

struct RobustFitSettings {
    std::optional<double> kappa{}; ///< empty: cross-validated
    bool reject = true;            ///< false: all landmarks count fully
    double threshold = 5;          ///< max distance in standard deviations
    double tolerance = 1;          ///< distance in the landmarks' unit that is never wrong
    CrossValidationSettings validation{};
};

struct RobustFit {
    ThinPlateSpline spline; ///< spline through the landmarks that count
    double kappa = 0;
    /// Per landmark given, 0 … 1; 0: rejected.
    std::vector<double> weights;
    int rejected = 0;
    int rounds = 0; ///< rounds of predictions
    /// Root mean square distance of the landmarks that count from their predictions without
    /// themselves, in the landmarks' unit; NaN with fewer than six.
    double validationError = 0;
};

/// `certainty`: a factor of each weight, greater than 0; empty: 1. With fewer than six landmarks
/// none is judged. Throws ComputeError as fitThinPlate() does, and where fewer than four landmarks
/// are left; landmarks in one plane are allowed, and so are coinciding ones, if κ isn't given as 0.
/// Same bits for any number of threads.
RobustFit fitRobustly(std::span<const Vec3> from, std::span<const Vec3> to,
                      std::span<const double> certainty, const RobustFitSettings& settings,
                      const ExecContext& ctx);

} // namespace systole
