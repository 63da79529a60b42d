// Unbiased nonlinear registration: a viscous fluid with the symmetric Kullback–Leibler distance of
// the deformation from the identity as regularizer.
//
//     E(w) = Σ ½ (T(x + w) − R)² + lambda Σ (|M| − 1) log |M|,   M = I + Dw
//     v ← G_sigma * f + momentum v,   f = −∂E/∂w,   w ← w + dt (v + v·∇w)
//
// T is the moving and R the fixed frame, gray values 0 to 255; the paper's u is −w. dt is such that
// the largest update has a given length, and with adaptive steps no longer than is stable
// (timeStep). A step after which |M| is below 0.01 anywhere, or, with
// adaptive steps, the energy has risen, is undone and repeated with half the length.
// Yanovsky, Thompson, Osher, Leow: Topology preserving log-unbiased nonlinear image registration:
// theory and implementation, CVPR 2007; Leow et al.: Statistical properties of Jacobian maps and
// the realization of unbiased large-deformation nonlinear image registration, IEEE TMI 26 (2007).
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/methods/unbiased/step_math.h"
#include "compute/ops/pyramid.h"

namespace systole {

struct UnbiasedParameters {
    double lambda = 0;        ///< weight of the regularizer, squared gray values
    double sigma = 0;         ///< standard deviation of the velocity's Gaussian, smallest voxels
    double maxStep = 0;       ///< largest update of an iteration, smallest voxels
    double momentum = 0;      ///< StepRule::momentum
    int levels = 0;           ///< maximum number of pyramid levels
    int iterations = 0;       ///< maximum per level
    double tolerance = 0;     ///< StepRule::tolerance
    bool adaptive = false;    ///< StepRule::adaptive
    bool compensated = false; ///< the noise that interpolation removes is compensated
    bool printed = false;     ///< the force as in the paper; else ForceRule::pulledBack
    int forceVariant = 0;     ///< variant of forceFamily, for CUDA

    static UnbiasedParameters from(const ParamSet& values);
    unbiased::StepRule stepRule() const;
    unbiased::ForceRule forceRule(const PyramidLevel& level) const;
    /// MotionEstimator::reach().
    int reach() const;
};

MotionMethod unbiasedMethod();
/// Throws ComputeError for Backend::Cuda in a build without CUDA.
std::unique_ptr<MotionEstimator> makeUnbiased(const ParamSet& values, Backend backend);
/// The CUDA implementation; defined in builds with CUDA (cudaIsBuilt).
std::unique_ptr<MotionEstimator> makeUnbiasedCuda(const UnbiasedParameters& parameters);

} // namespace systole
