// A motion method that another one goes on from: large motion is found by the first, detail by the
// second, each as it is alone. MotionEstimator::estimate() starts from the displacement that it is
// given, every method in its own way (clg and demons at their coarsest level, ffd under its
// spline), so nothing else is needed.
#pragma once

#include "compute/core/motion_estimator.h"

#include <vector>

namespace systole {

/// Figure of an estimation on a device whose start was computed on the CPU: in the report of the
/// motion, and of its frame.
inline constexpr const char* startsOnCpu = "starts on the CPU";

/// `first` with one parameter more, `refine`: "none", or the method of `refiners` that starts from
/// its result, with its preset `default`, both on the same backend. But one that magnifies
/// differences of its start (MotionMethod::magnifiesStart) starts from the CPU's motion on a
/// device, too, and reports `startsOnCpu` (unless slabs differ in their levels): only from the same
/// bits do its backends end alike. Each refiner is also a preset. The table of parameters lives as
/// long as a copy of `make`.
MotionMethod withRefinement(MotionMethod first, const std::vector<MotionMethod>& refiners);

} // namespace systole
