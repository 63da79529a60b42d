// What the compute thread of a pipeline does while nothing is wanted: it looks for block sizes that
// the device runs its kernels faster with.
#pragma once

#include "compute/core/block_sizes.h"
#include "compute/core/frame_result.h"
#include "compute/cuda/context.h"

#include <cstddef>
#include <string>
#include <vector>

namespace systole {

/// Where the block sizes of CUDA kernels come from.
enum class BlockTuning {
    Standard, ///< the kernels' own: equal bits whatever was found before
    Known,    ///< what was found before
    Search    ///< that, and idle moments go into finding more
};

/// Made anywhere, then used by one compute thread alone.
class BlockTuner {
public:
    virtual ~BlockTuner() = default;
    /// For an estimation of frames of so many voxels; valid until the next call of step() or of
    /// this.
    virtual const BlockSizes& blockSizes(const CudaDevice& device, std::size_t voxels) = 0;
    /// An estimation came to this.
    virtual void finished(const FrameResult& result) = 0;
    /// Some 30 ms of work, more where data of another size are made first; false: there is nothing
    /// more to do until finished() brings something new. `cuda`: the device in use; null: there is
    /// none.
    virtual bool step(CudaContext* cuda) = 0;
    /// Something is wanted: gives back what it holds of the device.
    virtual void rest() = 0;
    /// What is being done and what was found, for people; another text when that has changed.
    virtual std::vector<std::string> text() const = 0;
};

} // namespace systole
