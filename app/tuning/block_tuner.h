// Idle work of a pipeline's compute thread: the search for faster block sizes.
#pragma once

#include "compute/core/block_sizes.h"
#include "compute/core/frame_result.h"
#include "compute/cuda/context.h"

#include <cstddef>
#include <string>
#include <vector>

namespace systole {

/// Source of the block sizes of CUDA kernels.
enum class BlockTuning {
    Standard, ///< the defaults: bitwise equal results
    Known,    ///< sizes found earlier
    Search    ///< sizes found earlier, and a search for more while idle
};

/// Created anywhere, then used only by one compute thread.
class BlockTuner {
public:
    virtual ~BlockTuner() = default;
    /// Block sizes for frames of this many voxels; valid until the next call of step() or this
    /// function.
    virtual const BlockSizes& blockSizes(const CudaDevice& device, std::size_t voxels) = 0;
    /// Reports a finished estimation.
    virtual void finished(const FrameResult& result) = 0;
    /// Does some 30 ms of work, more when data of another size are prepared first. False: nothing
    /// to do until the next finished(). `cuda`: the device in use; null: none.
    virtual bool step(CudaContext* cuda) = 0;
    /// Releases device memory, because an estimation was requested.
    virtual void rest() = 0;
    /// Current work and results as text for display.
    virtual std::vector<std::string> text() const = 0;
};

} // namespace systole
