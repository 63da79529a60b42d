// A task of the laboratory: one kernel family with data on the device, as data. A function beside
// the kernels makes it; the list of all is in compute/lab/kernels.cuh.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"
#include "compute/core/random.h"
#include "compute/cuda/context.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace systole {
class LaunchLog;
}

namespace systole::lab {

/// The functions hold the data between them.
struct KernelTask {
    /// Enqueues one run of a variant of the family. Block sizes come from the log
    /// (LaunchLog::threadsFor). Throws ComputeError for a block or a side that the variant can't
    /// work with.
    std::function<void(int variant, LaunchLog& log)> launch;
    /// Enqueues the way back to the state before the first run; null where a run changes no input.
    std::function<void(CudaContext& cuda)> reset;
    /// Enqueues what brings the last run's result to `output` where a variant keeps it in another
    /// order; may be null.
    std::function<void(CudaContext& cuda)> gather;
    /// What the CPU implementation makes of the same data, in the order of `output`. Waits.
    std::function<std::vector<float>(const ExecContext& ctx)> onHost;
    /// Device memory of the result. The bench clears it before it measures a variant, so that what
    /// a launch leaves out isn't there from the one before.
    float* output = nullptr;
    std::size_t outputFloats = 0;
    // What a call with its data on the host would move.
    std::size_t uploadBytes = 0, downloadBytes = 0;
};

/// Prepares a task's data on the device for a side. Throws OutOfMemory where that doesn't fit.
using KernelTaskMaker = KernelTask (*)(CudaContext& cuda, int side);

/// The cube that a task works on at this side. Landmark tasks have their own measure of size: see
/// the task.
inline Size3 labSize(int side) { return {side, side, side}; }

/// Grey values between 0 and 255 in a cube of this side, the same for the same seed.
inline std::vector<float> randomVolume(int side, std::uint64_t seed) {
    std::vector<float> values(labSize(side).voxels());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = 255 * uniformFloat(static_cast<std::uint32_t>(randomBits(seed, 1, i)));
    return values;
}

/// Values of device memory on the host; waits for the compute stream.
inline std::vector<float> valuesOf(CudaContext& cuda, const float* device, std::size_t count) {
    std::vector<float> values(count);
    cuda.download(device, values.data(), count * sizeof(float), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return values;
}

} // namespace systole::lab
