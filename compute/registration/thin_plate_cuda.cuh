// Thin-plate splines on the device: the CUDA form of compute/registration/thin_plate.h.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/registration/thin_plate_math.h"

namespace systole::gpu {

/// A spline's coefficients; the terms lie in device memory.
struct ThinPlateCoefficients {
    const tps::Term* terms;
    int count;
    tps::Affine affine;
};

/// positions(p) = f(p). For Constant more than one launch where the terms don't fit at once.
void transformGrid(ThinPlateVariant variant, const ThinPlateCoefficients& spline,
                   FieldView<float> positions, LaunchLog& log);

} // namespace systole::gpu
