// The derivatives of a motion in the voxels of a tissue, by fits that depend on the tissue alone
// and are made once.
#pragma once

#include "compute/cardiac/neighborhoods.h"
#include "compute/core/exec.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace systole::cardiac {

/// LocalFit at the center of every voxel. Voxels with the same neighbors share one entry.
class TissueFits {
public:
    /// `voxels` must outlive it. The same bits for any number of threads. Throws Cancelled.
    TissueFits(const TissueVoxels& voxels, int order, const ExecContext& ctx);

    /// F = I + ∇u at a voxel, from displacements in mm of all voxels of the tissue. What all of
    /// them have in common cancels before it is rounded.
    Matrix3 deformation(std::size_t voxel,
                        std::span<const std::array<float, 3>> displacements) const;

    /// A voxel's neighbors, itself among them: `count` of neighbors() and weights() from `first`
    /// on.
    struct Range {
        std::uint32_t first = 0, count = 0;
    };
    std::span<const Range> ranges() const { return ranges_; } ///< a range per voxel
    /// Numbers of stencilOf(); then the weights of derivatives along x, y, z of LPS, per mm, and 0.
    std::span<const std::uint8_t> neighbors() const { return neighbors_; }
    std::span<const std::array<float, 4>> weights() const { return weights_; }

private:
    const TissueVoxels& voxels_;
    std::array<std::ptrdiff_t, stencilSize> stencil_;
    std::vector<Range> ranges_;
    std::vector<std::uint8_t> neighbors_;
    std::vector<std::array<float, 4>> weights_;
};

} // namespace systole::cardiac
