// Whether the CUDA form of CLG computes what the CPU form does.
#pragma once

#include "app/bench/benchmark.h"

namespace systole {

/// Every memory variant, both presets, every solver, on the bundled sequence, on options.files and
/// on phantoms of odd sizes: mean and largest difference of the fields, in voxels. Without a device
/// it says so and does nothing else. Throws ComputeError when a difference is beyond the bounds
/// (mean 1e-3, largest 0.05 voxel); inexact forms (8-bit weights, 16-bit tensor) are only reported.
void benchParity(const BenchOptions& options, const ExecContext& ctx,
                 nlohmann::ordered_json& record);

} // namespace systole
