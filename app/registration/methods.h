// The methods that a registration can use: the affine map, and every motion method.
#pragma once

#include "compute/core/motion_estimator.h"

#include <string>
#include <vector>

namespace systole {

/// "affine" first, as a method that finds the displacement of an affine map
/// (compute/methods/ffd/affine.h).
const std::vector<MotionMethod>& registrationMethods();

} // namespace systole
