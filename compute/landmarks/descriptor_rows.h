// Row by row, vectorized: the sums of V Vᵀ from which SEST descriptors of neighboring places are
// made, their decompositions and distances (compute/landmarks/sest.h). Called by
// descriptor_search.cpp; Highway chooses the instruction set as the program runs.
//
// Rows of sums hold the 28 numbers of a lower triangle planar: number k of place x at
// [k · stride + x]. Kernels write whole vectors, so that a row needs `slack` values behind its
// last.
#pragma once

#include <cstddef>

namespace systole::sest::rows {

/// Values that a kernel may read or write behind the end of a row.
inline constexpr int slack = 64;

/// The rows of a frame around one: at[1 + dz][1 + dy], pointing to x = 0. Values at −1 and behind
/// the last are readable.
struct FrameRows {
    const float* at[3][3];
};

/// sums = Σ over `planes` rows of V Vᵀ, for places first … first + count − 1 of the rows; sums
/// points to the first one's.
void sumProducts(const FrameRows* rows, int planes, int first, int count, std::ptrdiff_t stride,
                 float* sums);

/// out = Σ of `rows` rows of sums, for `count` places.
void addRows(const float* const* sums, int rows, int count, std::ptrdiff_t stride, float* out);

/// Sums over places x − radius … x − 1 and x … x + radius, decomposed: the lower triangles of U
/// (compute/landmarks/sest_math.h). `sums` points to the first place.
void decomposeHalves(const float* sums, std::ptrdiff_t stride, int radius, int count, float* lower,
                     float* upper, std::ptrdiff_t outStride);

/// out[x] = squared distance of the 224 planar numbers at descriptors[n · stride + x] from
/// reference[n]; writes `count` values.
void squaredDistances(const float* descriptors, std::ptrdiff_t stride, const float* reference,
                      int count, float* out);

} // namespace systole::sest::rows
