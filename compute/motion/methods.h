// The one list of motion estimation methods. Adding one: docs/adding/method.md.
#pragma once

#include "compute/core/motion_estimator.h"

#include <string>
#include <vector>

namespace systole {

/// Every method, the default one first.
const std::vector<MotionMethod>& motionMethods();
/// The names of all methods, in the order of the list.
std::vector<std::string> motionMethodNames();
/// Throws ComputeError listing the methods.
const MotionMethod& motionMethod(const std::string& name);

} // namespace systole
