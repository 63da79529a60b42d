// The devices of an estimation that is spread over several.
#pragma once

#include "compute/cuda/device.h"

#include <string>
#include <vector>

namespace systole {

/// "all": every usable device; else numbers by commas, each of a usable one, in their order; one
/// that is named twice is there twice. Throws UsageError, and ComputeError if no device can be
/// used.
std::vector<int> chosenDevices(const std::string& text, const CudaStatus& status = cudaStatus());

} // namespace systole
