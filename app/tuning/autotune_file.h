// Stores tuned block sizes: one file per user, for all programs and devices.
#pragma once

#include "compute/cuda/device.h"
#include "compute/lab/autotune.h"

#include <cstddef>
#include <string>

namespace systole {

/// Help text of --no-autotune, shared by several commands.
inline constexpr const char* noAutotuneHelp =
    "Launch CUDA kernels with their default block sizes: neither use nor search for the fastest "
    "sizes of this device, so that results are bitwise equal on every run";

/// $XDG_CACHE_HOME/systole/autotune.json, or ~/.cache/systole/autotune.json; empty if neither is
/// known: then nothing is stored.
std::string autotuneFile();

lab::TunedDevice tunedDevice(const CudaDevice& device);

/// Contents of the file. If it can't be read: empty, with the reason in `why` (one sentence). A
/// missing file is not an error.
lab::AutotuneCache readAutotuneFile(const std::string& path, std::string& why);
/// Merges the results into the current contents of the file. Throws FileError.
void addToAutotuneFile(const std::string& path, const lab::AutotuneCache& found);

/// Block sizes from the cache for an estimation with this many voxels; without those that the
/// current kernels don't support, or that are their defaults.
BlockSizes usableBlockSizes(const lab::AutotuneCache& cache, const lab::TunedDevice& device,
                            std::size_t voxels);

} // namespace systole
