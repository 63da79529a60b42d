// Vectors of control points on the device: what the optimizer needs. All pointers are to device
// memory; sums are the same bits in every run.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/kernel_support.cuh"

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

} // namespace systole::gpu
