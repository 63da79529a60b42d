// Where tuned block sizes are kept from run to run: one file for all programs and devices of a
// user.
#pragma once

#include "compute/cuda/device.h"
#include "compute/lab/autotune.h"

#include <cstddef>
#include <string>

namespace systole {

/// Of the option that all commands which estimate live have.
inline constexpr const char* noAutotuneHelp =
    "CUDA kernels in blocks of their own standard size: neither uses nor looks for the sizes that "
    "this device runs them fastest with, so that results have the same bits on every run";

/// $XDG_CACHE_HOME/systole/autotune.json, or ~/.cache/systole/autotune.json; empty where neither is
/// known: then nothing is kept.
std::string autotuneFile();

model::TunedDevice tunedDevice(const CudaDevice& device);

/// What the file holds. Where it can't be read, nothing, and `why` says so in one sentence; a file
/// that isn't there is no failure.
model::AutotuneCache readAutotuneFile(const std::string& path, std::string& why);
/// Adds what was found to what the file holds by now, and writes it. Throws FileError.
void addToAutotuneFile(const std::string& path, const model::AutotuneCache& found);

/// Block sizes for an estimation of so many voxels: what the cache has, as far as today's kernels
/// can take it and it isn't their standard.
BlockSizes usableBlockSizes(const model::AutotuneCache& cache, const model::TunedDevice& device,
                            std::size_t voxels);

} // namespace systole
