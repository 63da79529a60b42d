// The inner loops of the CPU implementations, one row (x) at a time, in SIMD with the instruction
// set chosen at run time. Callers are plain C++ that selects the rows to combine.
//
// Rows are contiguous floats without alignment; outputs must not overlap inputs unless stated.
// Reads never exceed the stated counts. Results don't depend on the distribution of rows to
// threads.
#pragma once

#include "compute/core/volume.h"

namespace systole::rows {

/// out[i] = scale · in[i] + offset; out may equal in.
void affine(const float* in, float scale, float offset, int count, float* out);

/// A volume to sample. Positions outside give the value of the clamped position.
using Volume = VolumeView<const float>;

/// out[i] = trilinear value of the volume at (i + d[0][i], y + d[1][i], z + d[2][i]), clamped to
/// the grid; inside[i] = insideWeight (compute/ops/sample.h); inside may be null.
void warp(const Volume& volume, float y, float z, const float* const (&d)[3], int count, float* out,
          float* inside);

/// Warps like warp(), with cubicSample() (compute/ops/sample_cubic.h).
void warpCubic(const Volume& volume, float y, float z, const float* const (&d)[3], int count,
               float* out, float* inside);

/// out[i] = trilinear value at (x[i], y[i], z[i]), clamped to the grid.
void sample(const Volume& volume, const float* x, const float* y, const float* z, int count,
            float* out);

/// Warps three components at once: out = component at the displaced position + d.
void compose(const Volume (&components)[3], float y, float z, const float* const (&d)[3], int count,
             float* const (&out)[3]);

/// The largest |a[0] − b[0]| + |a[1] − b[1]| + |a[2] − b[2]| of a row; 0 for an empty one.
float largestDistance(const float* const (&a)[3], const float* const (&b)[3], int count);

} // namespace systole::rows
