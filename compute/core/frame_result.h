// One finished frame: what overlays and panels are given.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/figure.h"
#include "compute/core/volume.h"

#include <memory>
#include <vector>

namespace systole {

/// The same frame and its motion as they lie on a CUDA device.
struct DeviceResult {
    std::shared_ptr<const Volume> fixed, moving;
    std::shared_ptr<const VectorField> field;
    std::shared_ptr<const Volume> warped; ///< may be null
};

struct FrameResult {
    int fixedFrame = -1;  ///< the field lives on this frame
    int movingFrame = -1; ///< and points to where the tissue is in this one
    std::shared_ptr<const Volume> fixed, moving;
    std::shared_ptr<const VectorField> field; ///< voxels, fixed → moving
    std::shared_ptr<const Volume> warped;     ///< moving pulled back onto fixed; may be null
    /// Of an estimation on a CUDA device, else null. `field` and `warped` are then null unless they
    /// were asked to be brought to the host.
    std::shared_ptr<const DeviceResult> device;
    std::size_t bytesToDevice = 0, bytesToHost = 0; ///< copied over the bus for this result
    FrameProfile profile;
    double seconds = 0; ///< of the estimation, wall clock
    int iterations = 0; ///< of the finest level
    double energy = 0;
    std::vector<Figure> figures; ///< of the stages that followed the estimation
    Backend backend = Backend::Cpu;
    std::uint64_t generation = 0; ///< of the parameters it was made with
};

} // namespace systole
