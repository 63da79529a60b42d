// clgEnergy() row by row.
#pragma once

#include "compute/methods/clg/solver/system.h"

namespace systole {

/// clgEnergy() in SIMD, rounded differently; system.beta must be 0.
double clgEnergyOfRows(const ClgSystem& system, FieldView<const float> t, const ExecContext& ctx);

} // namespace systole
