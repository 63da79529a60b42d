// `systole bench clg-floors`: every stage and memory variant of CLG in CUDA against what the
// device's memory allows, measured in the same run.
#pragma once

#include "app/bench/benchmark.h"

namespace systole {

/// Sides 128, 200, 256 unless options.sides says others. The floor of a stage is the bytes that it
/// can't do without (each array once) over the bandwidth of a copy: gradient 44 bytes per voxel and
/// warp, smoothing 72, 60 per sweep, 20 per resampling. Without a device: the CPU against the
/// triad.
void benchClgFloors(const BenchOptions& options, const ExecContext& ctx,
                    nlohmann::ordered_json& record);

} // namespace systole
