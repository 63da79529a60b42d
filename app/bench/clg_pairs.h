// `systole bench clg-pairs`: how many pairs of frames per second the preset `default` estimates,
// and how exactly.
#pragma once

#include "app/bench/benchmark.h"

namespace systole {

/// Echo phantoms of sides 128, 200, 256 unless options.sides says others. With a device: frames
/// resident there, pairs per second, stages, endpoint error, and that of the CPU on the same
/// pair where it takes no longer than options.cpuSeconds. Without one: only the CPU.
void benchClgPairs(const BenchOptions& options, const ExecContext& ctx,
                   nlohmann::ordered_json& record);

} // namespace systole
