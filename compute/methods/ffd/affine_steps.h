// Interface of the implementations of the affine registration: images at every resolution, the
// variance of their blocks, and block matching. They share the outer loop (affine.cpp).
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/methods/ffd/affine_blocks.h"
#include "compute/methods/ffd/affine_levels.h"

#include <memory>
#include <span>
#include <vector>

namespace systole::affine {

/// The image whose blocks are matched in the other one.
enum class Side { Fixed, Moving };

/// An image on the host with its mask, empty where there is none.
struct HostImage {
    Geometry grid;
    std::vector<float> gray, mask;
};

class Steps {
public:
    virtual ~Steps() = default;
    /// The image of a side at a level, with its mask.
    virtual HostImage image(Side side, int level) = 0;
    /// blockVariances() of the image of this side.
    virtual std::vector<float> variances(Side side, int level) = 0;
    /// The blocks that match() looks for from now on.
    virtual void setBlocks(Side side, std::vector<int> blocks) = 0;
    /// matchBlocks() of the side's blocks in their own image: without displacement, but for the
    /// error of the parabola. Valid until the next call.
    virtual std::span<const BlockMatch> matchItself(Side side, int level, Search search) = 0;
    /// matchBlocks() of the side's blocks in the other image, warped by the map from voxels of this
    /// side's grid to the other's. Valid until the next call.
    virtual std::span<const BlockMatch> match(Side side, int level, const VoxelMap& map,
                                              Search search) = 0;
};

/// The images are decimated by the constructor. `input`, `levels` and `ctx` must outlive the steps.
std::unique_ptr<Steps> makeSteps(const MotionInput& input, const PairLevels& levels,
                                 const ExecContext& ctx);
/// The CUDA implementation; defined in builds with CUDA (cudaIsBuilt). Throws ComputeError for
/// values that aren't finite.
std::unique_ptr<Steps> makeStepsOnDevice(const MotionInput& input, const PairLevels& levels,
                                         int matchVariant, const ExecContext& ctx);

} // namespace systole::affine
