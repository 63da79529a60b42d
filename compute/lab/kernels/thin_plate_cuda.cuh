// Thin-plate splines on the device: the CUDA implementation of compute/lab/kernels/thin_plate.h.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/launch.cuh"
#include "compute/lab/kernels/thin_plate.h"
#include "compute/landmarks/thin_plate_math.h"

namespace systole::lab {

/// A spline's coefficients; the terms are in device memory.
struct ThinPlateCoefficients {
    const tps::Term* terms;
    int count;
    tps::Affine affine;
};

/// positions(p) = f(p), by a variant of transformFamily. `constant` takes more than one launch
/// where the terms don't fit at once.
void transformGrid(int variant, const ThinPlateCoefficients& spline, FieldView<float> positions,
                   LaunchLog& log);

std::vector<CompiledCost> compiledThinPlateCosts();

} // namespace systole::lab
