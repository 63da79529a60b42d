// Compares the CUDA implementation of CLG with the CPU one.
#pragma once

#include "app/bench/benchmark.h"

namespace systole {

/// Every memory variant, both presets, every solver, on the bundled sequence, on options.files and
/// on phantoms of odd sizes: mean and largest difference of the fields, in voxels. Without a device
/// it says so and does nothing else. Throws ComputeError when a difference is beyond the bounds
/// (mean 1e-3, largest 0.05 voxel); inexact variants (8-bit weights, 16-bit tensor) are only
/// reported.
void benchClgParity(const BenchOptions& options, const ExecContext& ctx,
                    nlohmann::ordered_json& record);

} // namespace systole
