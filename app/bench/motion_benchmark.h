// `systole bench motion`: endpoint error of CLG's default preset on phantoms, what each stage costs
// against the memory floor measured in the same run, and the peers.
#pragma once

#include "app/bench/benchmark.h"

namespace systole {

void benchMotion(const BenchOptions& options, const ExecContext& ctx,
                 nlohmann::ordered_json& record);

} // namespace systole
