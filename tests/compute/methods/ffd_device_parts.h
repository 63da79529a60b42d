// The kernels of the free-form deformation by themselves, from host memory to host memory.
#pragma once

#include "compute/cuda/context.h"
#include "compute/methods/ffd/penalties.h"
#include "compute/methods/ffd/similarity.h"

#include <vector>

namespace systole::test {

struct QuantilesFound {
    float low, high, least, most;
};
QuantilesFound quantilesOnDevice(const std::vector<float>& values, double low, double high,
                                 CudaContext& cuda);

struct SimilarityFound {
    double value, weights;
    std::vector<float> derivative, ofLost;
};
/// Two values and one derivative: the last value's. The level's and the images' views are of host
/// memory.
SimilarityFound similarityOnDevice(const SimilarityOptions& options, const Similarity::Level& level,
                                   const ComparedImages& images, CudaContext& cuda);

struct PenaltyFound {
    double alone, withGradient; ///< the value of a call without and with a gradient
    std::vector<float> gradient;
};
/// The quadratic penalties and that of volume change, each added to what `gradient` holds; `more`
/// may be empty.
PenaltyFound quadraticOnDevice(const PenaltyWeights& weights, const ControlGrid& grid, Vec3 unit,
                               const std::vector<float>& points, const std::vector<float>& more,
                               const std::vector<float>& gradient, CudaContext& cuda);
PenaltyFound jacobianOnDevice(double weight, const ControlGrid& grid,
                              const std::vector<float>& points, const std::vector<float>& more,
                              const std::vector<float>& gradient, CudaContext& cuda);

struct VectorsFound {
    std::vector<double> products; ///< v0 · v_i and v0 · P v_i of each vector
    /// Sum of factors[i] · v_i, with P for odd i; made in v0's memory.
    std::vector<float> sum;
};
/// Vectors of three components; P multiplies each by its metric.
VectorsFound vectorsOnDevice(const std::vector<std::vector<float>>& vectors, Vec3 metric,
                             const std::vector<double>& factors, CudaContext& cuda);

} // namespace systole::test
