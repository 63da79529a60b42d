// Checks of the arguments that all implementations of interpolate() share.
#pragma once

#include "compute/core/error.h"
#include "compute/core/volume.h"

namespace systole::lab {

inline void checkInterpolation(VolumeView<const float> volume, FieldView<const float> positions,
                               VolumeView<float> out) {
    if (positions.size != out.size)
        throw ComputeError("positions to interpolate at and their results must be of one size");
    if (volume.voxels() == 0)
        throw ComputeError("a volume to interpolate in must have voxels");
}

} // namespace systole::lab
