// The quadratic penalties on the device, bending and elasticity: the CUDA implementation of
// addQuadratic() in quadratic_form.h for the sum of both. Sums are the same bits in every run.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/ffd/penalties.h"
#include "compute/methods/ffd/points_cuda.cuh"

namespace systole::gpu {

/// The weights, and the bands of a grid's integrals in device memory.
struct DeviceForm {
    float bending = 0, elasticity = 0;
    float unit[3] = {1, 1, 1};    ///< lengths of a voxel
    const float* bands = nullptr; ///< bandFloats()

    bool any() const { return bending > 0 || elasticity > 0; }
};
DeviceForm deviceForm(const PenaltyWeights& weights, const GridIntegrals& integrals,
                      const float* bands);
std::vector<float> bandFloats(const GridIntegrals& integrals);
std::size_t bandCount(Size3 points);

/// *out = (weighted penalty, 0). All pointers are to device memory. The form has a weight.
void addQuadratic(const DeviceForm& form, Size3 grid, const PenaltyPoints& points,
                  const GridSum& room, double2* out, LaunchLog& log);

} // namespace systole::gpu
