// The derivatives of a tissue's motion to several frames at once, the frames beside each other in
// vectors: weights and neighbors of a voxel are read once for all of them.
#pragma once

#include "compute/cardiac/strain.h"
#include "compute/cardiac/tissue_fits.h"

#include <array>
#include <span>
#include <vector>

namespace systole::cardiac {

class FrameGradients {
public:
    static constexpr std::size_t most = 16; ///< frames

    /// `voxels` and `fits`, which are of them, must outlive it. Displacements in mm of all voxels,
    /// for each of at most `most` frames.
    FrameGradients(const TissueVoxels& voxels, const TissueFits& fits,
                   std::span<const Displacements> frames);

    /// The derivatives of a voxel's motion, of component i along j in out[3 i + j], by frame: what
    /// TissueFits::deformation() adds to the identity, the same bits. Beyond the last frame: what
    /// they are of no motion.
    void sums(std::size_t voxel, float (&out)[9][most]) const;
    /// A voxel's motion along x, y and z of LPS, each by frame, one after the other.
    const float* moved(std::size_t voxel) const { return moved_[voxel].along[0].data(); }

private:
    using Lanes = std::array<float, most>; ///< a number per frame
    struct alignas(64) Moved {
        std::array<Lanes, 3> along; ///< x, y, z of LPS
    };
    const TissueVoxels& voxels_;
    const TissueFits& fits_;
    const std::array<std::ptrdiff_t, stencilSize> stencil_;
    int frames_;
    std::vector<Moved> moved_; ///< displacements of each voxel
};

} // namespace systole::cardiac
