// Motion through landmarks: corners of the fixed frame are followed into the moving one, and a
// relaxed thin-plate spline through those that agree is the displacement everywhere.
//
//     corners (compute/landmarks/corners.h) → SEST, from coarse to fine, forward and backward
//     (tracker.h) → robust fit, κ cross-validated (robust_fit.h) → evaluation (far_field.h)
//
// On CUDA corners, searches, the dense system and the evaluation are the device's, the alignment of
// patches, fates and weights the host's. Corners have the same bits there; descriptors' sums in
// another order, the device's roots and terms that the host interpolates differ in rounding. So
// what magnifies that (ffd) starts from the host's motion everywhere
// (compute/motion/refined_method.h).
//
// It follows motion of many voxels, but knows nothing of what lies between the landmarks: a method
// to begin with (compute/motion/refined_method.h).
#pragma once

#include "compute/core/error.h"
#include "compute/core/motion_estimator.h"
#include "compute/landmarks/corners.h"
#include "compute/landmarks/robust_fit.h"
#include "compute/landmarks/tracker.h"

namespace systole {

/// Lengths are in smallest voxel spacings.
struct LandmarkMotionParameters {
    int number = 1000;      ///< maximum number of corners
    double distance = 5;    ///< minimum distance of two corners
    double response = 0.01; ///< minimum response of a corner, relative to the strongest
    int passes = 3;         ///< searches, each in the moving frame as the last motion takes it
    int levels = 3;         ///< resolutions of the first search
    int search = 6;         ///< half the searched region, in voxels of the coarsest
    int patch = 5;          ///< half the compared patch, in voxels
    /// How matches are judged against each other before the fit.
    OutlierTest outliers = OutlierTest::Neighbors;
    bool reject = true;      ///< reject outliers of the fit
    double threshold = 5;    ///< standard deviations beyond which a landmark is an outlier
    bool validate = true;    ///< choose κ by cross-validation
    double kappa = 1;        ///< κ without cross-validation
    double tolerance = 0.02; ///< maximum error of the spline's evaluation

    static LandmarkMotionParameters from(const ParamSet& values);
};

/// Hardly any corner was found again.
class TooFewLandmarks : public ComputeError {
public:
    using ComputeError::ComputeError;
};

MotionMethod landmarksMethod();
std::unique_ptr<MotionEstimator> makeLandmarks(const ParamSet& values, Backend backend);

} // namespace systole
