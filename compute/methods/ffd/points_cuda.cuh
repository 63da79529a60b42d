// Vectors of control points on the device: what the optimizer needs. All pointers are to device
// memory; sums are the same bits in every run.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/ffd/optimizer.h"

namespace systole::gpu {

/// Room that every sum over a grid of at most sumBlocks blocks needs.
inline constexpr unsigned sumBlocks = 1024;

/// Vectors of control points whose sum has a penalty.
struct PenaltyPoints {
    const float* at;
    const float* more; ///< null: none
    float* gradient;   ///< the penalty's gradient is added to it; null: isn't wanted
};

/// Shape of a kernel that sums over `items` in strides of its grid.
LaunchShape stridesOver(std::size_t items);

inline constexpr int maxProducts = 32, maxTerms = 12;

/// Products of pairs of vectors, as a kernel's argument. A vector's three components lie one behind
/// the other.
struct Products {
    explicit Products(Vec3 metric);
    /// Σ a · b, or Σ metric · a · b. At most maxProducts.
    void add(const float* first, const float* second, bool withMetric);

    int count = 0;
    const float* a[maxProducts];
    const float* b[maxProducts];
    double weights[maxProducts][3]; ///< per component

private:
    Vec3 metric_;
};

/// A sum of vectors, as a kernel's argument.
struct Combination {
    /// + factor · metric · v. At most maxTerms.
    void add(double factor, const float* vector, Vec3 metric);

    int count = 0;
    const float* v[maxTerms];
    float factors[maxTerms][3]; ///< per component
};

/// out[i] = the i-th product of vectors of 3 · points floats, in one launch, by the strands of
/// vector_products.h.
void dotProducts(const Products& products, std::size_t points, const GridSum& room, double* out,
                 LaunchLog& log);
/// out = the sum of the terms; `out` may be one of its vectors.
void combine(float* out, const Combination& sum, std::size_t points, LaunchLog& log);
/// out = from + length · direction, the length within the limit for a direction whose longest() is
/// at `longest`; in one launch that needn't wait for the host.
void stepWithin(const StepLimit& limit, const unsigned* longest, const float* from,
                const float* direction, float* out, std::size_t points, LaunchLog& log);
/// *out, zero before, becomes the bits of the largest |v|² / unit², a float.
void longest(FieldView<const float> vectors, Vec3 unit, unsigned* out, LaunchLog& log);

} // namespace systole::gpu
