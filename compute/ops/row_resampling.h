// Row kernels (row_kernels.h) between grids of different resolution, and sums of rows. Operations
// and their order are those of the CUDA kernels.
#pragma once

#include <cstddef>

namespace systole::rows {

/// out[i] = Σ_k weights[k] · in[k][i], k in [0, rows), added by fused products in this order.
void mix(const float* const* in, const float* weights, int rows, int count, float* out);

/// out[i] = (in[2 i] + in[2 i + 1]) / 2
void pairMeans(const float* in, int count, float* out);

/// Both voxels of each of `count` cells, a quarter of a cell from its middle, from the cells
/// linearly; cells[−1] and cells[count] are read.
void betweenCells(const float* cells, int count, float* out);

/// out[i] = in[low[i]] + part[i] · (in[low[i] + step] − in[low[i]])
void along(const float* in, const int* low, const float* part, int step, int count, float* out);

/// The rows at (y, z), (y + 1, z), (y, z + 1), (y + 1, z + 1), linearly between them, times gain.
void between(const float* const (&in)[4], float partY, float partZ, float gain, int count,
             float* out);

/// out[i] = a[i] + share · (b[i] − a[i])
void lerp(const float* a, const float* b, float share, int count, float* out);

} // namespace systole::rows
