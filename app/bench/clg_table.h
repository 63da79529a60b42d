// `systole bench clg-table`: the table of the paper behind CLG, measured on this machine.
#pragma once

#include "app/bench/benchmark.h"

namespace systole {

/// Cubes of growing sides, preset `paper` with rho 2.33 (K = 15), 3 warps, 50 sweeps, one level.
/// Forms on the CPU: the plain one on one thread and the fast one on all, as far as
/// options.cpuSeconds goes. On a device: each memory variant by stage, then with the copies over
/// the bus, then as a whole call.
void benchClgTable(const BenchOptions& options, const ExecContext& ctx,
                   nlohmann::ordered_json& record);

} // namespace systole
