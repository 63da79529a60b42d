// Sums of a thin-plate spline's terms at any points, in SIMD with the instruction set chosen at run
// time.
#pragma once

#include "compute/landmarks/thin_plate_math.h"

#include <span>

namespace systole::tps {

/// out[c][i] += Σ_j w_j ‖p_j − point i‖, component c, for i in [0, count).
void addTerms(std::span<const Term> terms, const float* const (&points)[3], int count,
              float* const (&out)[3]);

} // namespace systole::tps
