// The methods that a registration can use: the affine map, and every motion method.
#pragma once

#include "compute/motion/registration.h"

#include <vector>

namespace systole {

/// "affine" as an entry of the list: it has parameters and backends, and makes no MotionEstimator.
const MotionMethod& affineMethod();

/// "affine" first, then motionMethods().
const std::vector<MotionMethod>& registrationMethods();

/// True if an affine registration comes first by default: before methods made for two images, since
/// frames of one sequence are already aligned.
bool startsWithAffine(const MotionMethod& method);

/// The affine registration first, with its default parameters, if asked for or if it is the method.
/// `backend` is one of the method's.
RegistrationPlan planOf(const MotionMethod& method, const ParamSet& parameters, Backend backend,
                        bool affineFirst);

/// True if a part of the plan runs on a CUDA device.
bool usesDevice(const RegistrationPlan& plan);
/// The plan, with the CPU in place of a device if `backend` isn't Cuda.
RegistrationPlan planOn(Backend backend, const RegistrationPlan& plan);

} // namespace systole
