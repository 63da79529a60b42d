// A row of voxels under a thin-plate spline, in SIMD with the instruction set chosen at run time.
#pragma once

#include "compute/landmarks/thin_plate_math.h"

#include <span>

namespace systole::lab {

/// out[c][x] = component c of f(x, y, z) for x in [0, count).
void transformRow(const tps::Affine& affine, std::span<const tps::Term> terms, float y, float z,
                  int count, float* const (&out)[3]);

} // namespace systole::lab
