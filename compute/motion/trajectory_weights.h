// Where a material point is at one time, from its estimated positions at several: the weights of a
// least-squares parabola (Savitzky and Golay 1964), for any times, through a known start.
#pragma once

#include <span>
#include <vector>

namespace systole {

/// Weight of each sample's displacement in that of sample `at`: those of the parabola in time that
/// fits the samples best. Exact for displacements that are such a parabola. Fewer samples than it
/// has coefficients: it has a lower degree. With `fromStart` the first sample is the start, where
/// the displacement is zero without error: the parabola begins there, and the weight is 0. Times in
/// any unit, strictly ascending; two samples or more.
std::vector<double> trajectoryWeights(std::span<const double> times, bool fromStart,
                                      std::size_t at);

} // namespace systole
