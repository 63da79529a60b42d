// A task of the laboratory: one kernel family and its data on the device, described by functions. A
// function next to the kernels creates it; compute/lab/kernels.cuh lists all tasks.
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

/// Its functions share ownership of the task's data.
struct KernelTask {
    /// Enqueues one run of a variant of the family. Block sizes come from the log
    /// (LaunchLog::threadsFor). Throws ComputeError for a block size or a side that the variant
    /// doesn't support.
    std::function<void(int variant, LaunchLog& log)> launch;
    /// Enqueues restoring the state before the first run; null if a run changes no input.
    std::function<void(CudaContext& cuda)> reset;
    /// Enqueues copying the last run's result to `output` if a variant stores it in another order;
    /// may be null.
    std::function<void(CudaContext& cuda)> gather;
    /// The CPU implementation's result for the same data, in the order of `output`. Waits.
    std::function<std::vector<float>(const ExecContext& ctx)> onHost;
    /// Result in device memory. The bench clears it before it measures a variant, so that values
    /// which a launch doesn't write aren't left from the previous one.
    float* output = nullptr;
    std::size_t outputFloats = 0;
    // Bytes that a call with its data on the host would copy.
    std::size_t uploadBytes = 0, downloadBytes = 0;
};

/// Prepares a task's data of this side on the device. Throws OutOfMemory if it doesn't fit.
using KernelTaskMaker = KernelTask (*)(CudaContext& cuda, int side);

/// The cube of this side that a task works on. Landmark tasks define their size differently: see
/// the task.
inline Size3 labSize(int side) { return {side, side, side}; }

/// Gray values between 0 and 255 in a cube of this side, the same for the same seed.
inline std::vector<float> randomVolume(int side, std::uint64_t seed) {
    std::vector<float> values(labSize(side).voxels());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = 255 * uniformFloat(static_cast<std::uint32_t>(randomBits(seed, 1, i)));
    return values;
}

/// Copies values from device memory to the host; waits for the Compute stream.
inline std::vector<float> valuesOf(CudaContext& cuda, const float* device, std::size_t count) {
    std::vector<float> values(count);
    cuda.download(device, values.data(), count * sizeof(float), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return values;
}

} // namespace systole::lab
