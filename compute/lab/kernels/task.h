// A task of the laboratory: one kernel family and its data on the device, described by functions. A
// function next to the kernels creates it; compute/lab/kernels/kernels.cuh lists all tasks.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"
#include "compute/core/random.h"
#include "compute/core/volume.h"
#include "compute/core/voxel.h"
#include "compute/cuda/context.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
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
    /// The CPU implementation's result for the same data, in the order of `output`. Waits.
    std::function<std::vector<float>(const ExecContext& ctx)> onHost;
    /// Result in device memory. The bench clears it before it measures a variant, so that values
    /// which a launch doesn't write aren't left from the previous one.
    float* output = nullptr;
    std::size_t outputFloats = 0;
    // Bytes that a call with its data on the host would copy.
    std::size_t uploadBytes = 0, downloadBytes = 0;
    /// Enqueues restoring the state before the first run; null if a run changes no input.
    std::function<void(CudaContext& cuda)> reset = nullptr;
    /// Enqueues copying the last run's result to `output` if a variant stores it in another order;
    /// may be null.
    std::function<void(CudaContext& cuda)> gather = nullptr;
};

/// A task without functions whose result is copied back to the host.
inline KernelTask taskOf(float* output, std::size_t floats, std::size_t uploadBytes) {
    KernelTask task;
    task.output = output;
    task.outputFloats = floats;
    task.uploadBytes = uploadBytes;
    task.downloadBytes = floats * sizeof(float);
    return task;
}

/// Prepares a task's data of this side on the device. Throws OutOfMemory if it doesn't fit.
using KernelTaskMaker = KernelTask (*)(CudaContext& cuda, int side);

/// The cube of this side that a task works on. Landmark tasks define their size differently: see
/// the task.
inline Size3 labSize(int side) { return {side, side, side}; }

/// Numbers from `least` to `least` + `range`, the same for the same seed.
inline std::vector<float> randomValues(std::size_t count, std::uint64_t seed, float range,
                                       float least = 0) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] =
            range * uniformFloat(static_cast<std::uint32_t>(randomBits(seed, 1, i))) + least;
    return values;
}
/// Gray values between 0 and 255 in a cube of this side.
inline std::vector<float> randomVolume(int side, std::uint64_t seed) {
    return randomValues(labSize(side).voxels(), seed, 255);
}

/// Waves with an amplitude of 3 voxels, each component along another axis; added to the voxels'
/// positions, or alone as a motion.
inline void fillWaves(FieldView<float> field, bool positions) {
    const Size3 size = field.size;
    const auto waves = [](int count, double length) {
        std::vector<float> heights;
        for (int i = 0; i < count; ++i)
            heights.push_back(static_cast<float>(3 * std::sin(2 * std::numbers::pi * i / length)));
        return heights;
    };
    const std::vector<float> alongX = waves(size.x, 43.7), alongY = waves(size.y, 37.3),
                             alongZ = waves(size.z, 29.1);
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const Voxel at = positions ? Voxel{x, y, z} : Voxel{};
                field.componentView(0)(x, y, z) =
                    static_cast<float>(at.x) + alongY[static_cast<std::size_t>(y)];
                field.componentView(1)(x, y, z) =
                    static_cast<float>(at.y) + alongZ[static_cast<std::size_t>(z)];
                field.componentView(2)(x, y, z) =
                    static_cast<float>(at.z) + alongX[static_cast<std::size_t>(x)];
            }
}

/// Copies values from device memory to the host; waits for the Compute stream.
inline std::vector<float> valuesOf(CudaContext& cuda, const float* device, std::size_t count) {
    std::vector<float> values(count);
    cuda.download(device, values.data(), count * sizeof(float), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return values;
}

} // namespace systole::lab
