// A row's 3×3 blocks before their inversion: what smoothness and divergence add to J.
#pragma once

#include "compute/methods/clg/solver/system.h"

#include <vector>

namespace systole {

/// Rows of `width` values, used again for every row of the grid.
class BlockRows {
public:
    explicit BlockRows(int width);

    /// The sum of the weights of each voxel's neighbors, to be added to the diagonal.
    void addSmoothness(const std::array<float, 3>& weights, Size3 size, int y, int z);
    /// Replaces rows of J in `in` by copies with the divergence's own entries.
    void addDivergence(const ClgSystem& system, int y, int z, const float* (&in)[9]);

    const float* neighbors() const { return neighbors_.data(); }

private:
    float* copyOf(const float* (&in)[9], std::size_t k);

    std::vector<float> neighbors_;
    std::vector<float> copies_[6];
};

} // namespace systole
