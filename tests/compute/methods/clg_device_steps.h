// The image steps of CLG's CUDA form, one at a time, from host memory to host memory.
#pragma once

#include "compute/core/block_sizes.h"
#include "compute/core/volume.h"
#include "compute/cuda/context.h"
#include "compute/methods/clg/variants.h"

#include <array>
#include <cstdint>
#include <vector>

namespace systole::test {

using Values = std::vector<float>;

/// Variants are those of the families in clg/variants.h. Smooths `count` volumes behind one
/// another; scratch for `slots` of them.
Values smoothOnDevice(CudaContext& cuda, int variant, const Values& volumes, int count, Size3 size,
                      Vec3 sigma, int slots, const BlockSizes& blocks = {});

/// Smooths by smoothedStack(), with scratch for all volumes.
Values smoothedOnDevice(CudaContext& cuda, int variant, const Values& volumes, int count,
                        Size3 size, Vec3 sigma);

/// Smooths by smoothStackHalved(), with scratch for `floats` values.
Values smoothHalvedOnDevice(CudaContext& cuda, int variant, const Values& volumes, int count,
                            Size3 size, Vec3 sigma, std::size_t floats);

struct TensorOutcome {
    Values products; ///< nine volumes
    double noise;
};
/// Runs the tensor kernel; `inside` may be empty.
TensorOutcome tensorOnDevice(CudaContext& cuda, int variant, const Values& fixed,
                             const Values& warped, const Values& inside, Size3 size, bool central,
                             std::array<float, 3> scale, float epsilon,
                             const BlockSizes& blocks = {});

/// Self-similarity alone, with all axes that comparedAxes() finds. `inside` has a value per voxel.
/// Twice with the same frames, as a level's second warp does; the products are those of the last.
TensorOutcome selfSimilarityOnDevice(CudaContext& cuda, const Values& fixed, const Values& warped,
                                     const Values& inside, Size3 size, std::array<float, 3> scale);

/// The products after adding gradient constancy. `inside` has a value per voxel; epsilon as in
/// GradientConstancyInput.
Values gradientConstancyOnDevice(CudaContext& cuda, const Values& fixed, const Values& warped,
                                 const Values& inside, const Values& products, Size3 size,
                                 std::array<float, 3> scale, double share, float epsilon);

struct WarpOutcome {
    Values warped, inside;
    float epsilon;
};
WarpOutcome warpOnDevice(CudaContext& cuda, int variant, const Values& moving, const Values& fixed,
                         const Values& field, Size3 size, bool cubic,
                         const BlockSizes& blocks = {});

/// Nine coefficients; an empty field negates.
Values rightHandSideOnDevice(CudaContext& cuda, const Values& coefficients, const Values& field,
                             Size3 size);
/// Composes the field w with the solved t; t receives the composed step.
Values composeOnDevice(CudaContext& cuda, const Values& w, Values& t, std::array<float, 3> scale,
                       Size3 size);
/// Composes as composeOnDevice() does, finds folds and mends them.
Values composeWithoutFoldsOnDevice(CudaContext& cuda, const Values& w, Values& t,
                                   std::array<float, 3> scale, Size3 size);
Values addStepOnDevice(CudaContext& cuda, const Values& w, Values& t, std::array<float, 3> scale,
                       Size3 size);

/// `count` volumes behind one another.
Values decimateOnDevice(CudaContext& cuda, const Values& volumes, int count, Size3 size,
                        std::array<int, 3> factor, Size3 outSize);
/// fillUnknown() of all frames in `frames`; `known` has 0 or 1 for each voxel.
Values fillOnDevice(CudaContext& cuda, const Values& frames, const std::vector<std::uint8_t>& known,
                    Size3 size, bool wanted);
Values upsampleOnDevice(CudaContext& cuda, const Values& field, Size3 size,
                        std::array<int, 3> factor, Size3 outSize);
Values downsampleOnDevice(CudaContext& cuda, const Values& field, Size3 size,
                          std::array<int, 3> factor, Size3 outSize);

/// Weights of smoothness of a level that starts from this field, of `weights` at gain 1.
std::array<float, 3> smoothnessOnDevice(CudaContext& cuda, const Values& field, Size3 size,
                                        std::array<float, 3> scale, std::array<float, 3> weights);

struct PrefilterOutcome {
    float sigma;
    Values smoothed;
};
PrefilterOutcome prefilterOnDevice(CudaContext& cuda, const Values& volume, Size3 size,
                                   std::array<float, 3> scale, double least);

} // namespace systole::test
