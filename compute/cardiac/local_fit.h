// Values and derivatives of a quantity that is known in the voxels of one tissue, from those voxels
// alone: at the border of the wall a motion has a kink, over which no difference may reach.
#pragma once

#include "compute/cardiac/tissue.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace systole::cardiac {

/// Weights of voxels, by their places in the TissueVoxels: of the value at a point and of its
/// derivatives along x, y, z of LPS, per mm.
struct FitWeights {
    std::vector<std::int32_t> place;
    std::vector<std::array<double, 4>> weight;
    int order = 0; ///< order of the polynomial that the voxels determined; 0: no derivatives
};

/// A polynomial around a point by weighted least squares (Lancaster and Salkauskas, Mathematics of
/// Computation 37 (1981)): over the tissue's voxels at most two indices away along each axis, with
/// weights exp(−d²/2σ²), σ = `sigma` voxels. Exact for polynomials of its order, whatever the
/// spacing and direction of the grid. Where the voxels don't determine it, the next lower order.
class LocalFit {
public:
    static constexpr int reach = 2, highestOrder = 3;
    static constexpr double sigma = 1.2;
    static constexpr std::size_t width = 2 * reach + 1; ///< voxels along an axis

    /// `voxels` must outlive it. `order` 1 to 3.
    LocalFit(const TissueVoxels& voxels, int order);

    /// Weights at a point in voxels of the grid, x fastest; no places if no voxel is near it.
    FitWeights at(Vec3 index) const;
    /// at() a voxel that has all neighbors; places are not set.
    const FitWeights& whole() const { return whole_; }

private:
    const TissueVoxels& voxels_;
    int order_;
    FitWeights whole_;
};

/// A scalar at the point of the weights, and its gradient per mm.
struct LocalScalar {
    double value = 0;
    Vec3 gradient;
};
LocalScalar applied(const FitWeights& weights, std::span<const double> values);

/// The displacement at the point of the weights, mm.
Vec3 displacementAt(const FitWeights& weights, std::span<const std::array<float, 3>> displacements);

} // namespace systole::cardiac
