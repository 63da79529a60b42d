// A row of voxels under a thin-plate spline, in SIMD with the instruction set chosen at run time.
#pragma once

#include "compute/landmarks/thin_plate_math.h"

#include <span>

namespace systole::tps {

/// out[c][x] = component c of f(x, y, z) for x in [0, count).
void transformRow(const Affine& affine, std::span<const Term> terms, float y, float z, int count,
                  float* const (&out)[3]);

} // namespace systole::tps
