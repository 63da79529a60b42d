// Vectors of control points on the device, and the quadratic penalties of them: what the optimizer
// needs. All pointers are to device memory; sums are the same bits in every run.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/ffd/quadratic_form.h"

namespace systole::gpu {

/// Room that every sum over a grid of at most sumBlocks blocks needs.
inline constexpr unsigned sumBlocks = 1024;

/// Shape of a kernel that sums over `items` in strides of its grid.
LaunchShape stridesOver(std::size_t items);

/// *out = (Σ a · b, 0).
void dot(const float* a, const float* b, std::size_t count, const GridSum& room, double2* out,
         LaunchLog& log);
/// out = a · x + b · y; out may be x or y.
void combine(float* out, float a, const float* x, float b, const float* y, std::size_t count,
             LaunchLog& log);
/// *out, zero before, becomes the bits of the largest |v|² / unit², a float.
void longest(FieldView<const float> vectors, Vec3 unit, unsigned* out, LaunchLog& log);

/// The bands of a grid's integrals and the terms as a kernel takes them.
struct DeviceForm {
    static constexpr int mostTerms = 48;
    int terms = 0;
    signed char to[mostTerms], from[mostTerms];
    signed char orders[mostTerms][3]; ///< 3 a + b along each axis
    float weight[mostTerms];
    const float* bands = nullptr; ///< of bandFloats() floats
};
std::vector<float> bandFloats(const GridIntegrals& integrals);
DeviceForm deviceForm(const std::vector<QuadraticTerm>& terms, const GridIntegrals& integrals,
                      const float* bands);

/// addQuadratic() at points + more (null: none), whose sum goes to *out = (energy, 0); gradient may
/// be null.
void addQuadratic(const DeviceForm& form, Size3 points, const float* at, const float* more,
                  float* gradient, const GridSum& room, double2* out, LaunchLog& log);

} // namespace systole::gpu
